"""What does a person see who opens the service's address?"""
