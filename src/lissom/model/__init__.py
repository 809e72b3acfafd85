"""The description of an arm: frozen, validated, in SI units."""
