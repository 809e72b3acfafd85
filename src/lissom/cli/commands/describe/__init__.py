"""Commands that describe an arm, one file each."""
