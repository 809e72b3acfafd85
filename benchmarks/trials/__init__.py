"""What the gauntlet tries on every robot: one file per room, each a table `TRIALS` of named functions."""
