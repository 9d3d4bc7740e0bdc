"""Sources in, a generation out: what `askfolio sync` does."""
