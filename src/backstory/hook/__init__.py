"""All that a hook process loads; standard library only, clean on Python 3.9."""
