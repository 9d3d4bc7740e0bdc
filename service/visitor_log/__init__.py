"""What do visitors let the owner keep? Not even imported where the log is off."""
