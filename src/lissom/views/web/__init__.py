"""Self-contained HTML pages: the scene as JSON, and the player in JavaScript."""
