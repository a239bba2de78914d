"""What starts Backstory: it finds a Python, builds the runtime and runs the package in it."""
