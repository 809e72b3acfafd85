"""B-splines of all coordinates: bases, meshes, profiles as functions of the variables of a program."""
