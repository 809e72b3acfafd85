"""Laws of friction, one file each, and all that a joint has of them."""
