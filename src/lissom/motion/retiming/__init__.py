"""The best timing of a given path."""
