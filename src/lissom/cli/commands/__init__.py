"""One file per command, each one public call."""
