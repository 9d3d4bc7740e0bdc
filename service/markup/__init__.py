"""What in a model's Markdown is a marker, a link or code? Pure, and indifferent to splits."""
