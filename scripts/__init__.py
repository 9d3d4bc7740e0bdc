"""Programs for development; nothing in the product imports them."""
