"""What the viewer and exported pages play, and at which time."""
