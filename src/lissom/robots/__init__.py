"""The shipped arms: one TOML file each, every number with its source."""
