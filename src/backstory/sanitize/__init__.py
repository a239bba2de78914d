"""The one door before every sink: private tags, secrets, blobs, size caps."""
