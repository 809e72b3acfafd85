"""The arm with its controller and all that acts on it, as one function of time and state."""
