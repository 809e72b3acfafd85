"""What was identified: the arm, its table, residuals, and checks on other logs."""
