"""What repositories does a user or an organisation have on a host? Asked through its API."""
