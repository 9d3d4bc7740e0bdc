"""HTTP around retrieval: answers, citations and guards."""
