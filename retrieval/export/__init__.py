"""A generation as text files: knowledge.txt, llms.txt, llms-full.txt."""
