"""What a search carries from one solution to the next."""
