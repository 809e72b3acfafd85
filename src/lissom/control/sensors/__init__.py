"""What is measured of an arm: one file for each kind of sensor. They are also the outputs of linear models."""
