"""An arm in space as solids, with what is around it; nothing about who draws it."""
