"""Limits along a motion that follows a path: at rest before a search, and a search within them."""
