"""Closed loops: closures between links of the tree, and the algebra of their motions and forces."""
