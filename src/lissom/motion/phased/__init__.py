"""Motions with contacts: phases, point forces, and the program that they make."""
