"""The command line: one file per verb, each one public call."""
