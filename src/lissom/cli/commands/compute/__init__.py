"""Commands that compute, one file each."""
