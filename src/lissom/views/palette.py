"""Okabe and Ito's colours, distinct for every kind of colour vision, and what some of them stand for."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442")
LINK, FLEXIBLE = "#56606b", "#009e73"
RESTING = "#b4bac1"
