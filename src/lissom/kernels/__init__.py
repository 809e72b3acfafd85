"""The compiled functions of an arm: the registry of verbs, keys, code, and what is stored with the arm."""
