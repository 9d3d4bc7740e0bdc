"""What may be spent today, and what was it?"""
