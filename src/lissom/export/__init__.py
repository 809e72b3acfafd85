"""Arms for other machines: their functions as C."""
