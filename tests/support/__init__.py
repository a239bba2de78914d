"""What several test packages use."""
