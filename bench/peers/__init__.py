"""The same texts, vectors and questions through other libraries' hybrid retrieval."""
