"""What does a built HTML page say?"""
