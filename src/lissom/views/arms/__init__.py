"""Arms as lines: the drawing of an arm, and the axes that figures of arms are drawn in."""
