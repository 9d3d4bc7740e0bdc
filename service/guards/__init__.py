"""What stands before the application: plain ASGI classes that cost nothing to be refused by."""
