"""What all figures share: new figures, their style and colours, curves and panels."""
