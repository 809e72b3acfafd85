"""What an arm is made of, for the recursions: rigid links behind joints, beams; all with the same methods."""
