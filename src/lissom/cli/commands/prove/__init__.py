"""Commands that test the installation and the papers, one file each."""
