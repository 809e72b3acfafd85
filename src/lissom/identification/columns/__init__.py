"""What is to be found, and the columns that it multiplies: inertias, drives, friction, payloads, the user's own."""
