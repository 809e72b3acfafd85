"""Commands that show results, one file each."""
