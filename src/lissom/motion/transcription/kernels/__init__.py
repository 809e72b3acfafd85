"""One time sample of a motion, compiled: torques, their limits and the rate of cost, with derivatives."""
