"""Self-contained HTML pages: reports of arms, runs and motions, and of what papers claim."""
