"""Digital humans: trees of links from tables of anthropometry, and their predicted motions."""
