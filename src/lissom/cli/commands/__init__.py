"""Commands by the panels of the help, one file per command, each one public call."""
