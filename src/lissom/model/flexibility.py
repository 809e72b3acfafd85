"""The models of flexible links that an arm can have, by the words of `Arm(flexibility=...)`."""

from __future__ import annotations

from typing import NamedTuple


class FlexibilityModel(NamedTuple):
    """A model of flexible links.

    linear_field : the field is linear in the amplitudes, and frames beyond a tip are not orthonormal
    truncated : "" or why the mass matrix need not be positive definite at large deflections, as a clause
    conserves_energy : whether its equations do
    closed_form : the equations are those of the arm as a whole, not of its links one by one
    """

    name: str
    linear_field: bool = True
    truncated: str = ""
    conserves_energy: bool = True
    closed_form: bool = False


def _book(name: str) -> FlexibilityModel:
    dropped = f"flexibility={name!r} drops products of deflections, (37), (72) or (73) of Book 1983"
    return FlexibilityModel(name, truncated=dropped, conserves_energy=False)


MODELS = {
    model.name: model
    for model in (
        FlexibilityModel("second_order", linear_field=False),
        FlexibilityModel("linear"),
        _book("book"),
        _book("book_37"),
        _book("book_72"),
        FlexibilityModel(
            "de_luca_siciliano",
            truncated="B of De Luca and Siciliano is kept to first order in the deflections",
            closed_form=True,
        ),
    )
}
FLEXIBILITIES = tuple(MODELS)
