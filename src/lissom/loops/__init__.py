"""Closed loops: closures between links of the tree, and the algebra of motions and forces that they leave."""
