"""Git repositories as a source: the git program, the tree of one commit, and what is left out."""
