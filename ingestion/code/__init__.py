"""Code cut at its functions, methods and classes."""
