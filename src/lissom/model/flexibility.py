"""The models of flexible links that an arm can have, by the words of `Arm(flexibility=...)`."""

from __future__ import annotations

from typing import NamedTuple


class FlexibilityModel(NamedTuple):
    """A model of flexible links.

    linear_field : the field is linear in the amplitudes, and frames beyond a tip are not orthonormal
    truncated : "" or why the mass matrix need not be positive definite at large deflections
    conserves_energy : whether its equations do
    closed_form : the equations are those of the arm as a whole, not of its links one by one
    """

    name: str
    linear_field: bool = True
    truncated: str = ""
    conserves_energy: bool = True
    closed_form: bool = False


_BOOK = "drops products of deflections, (37), (72) or (73) of Book 1983"
MODELS = {
    model.name: model
    for model in (
        FlexibilityModel("second_order", linear_field=False),
        FlexibilityModel("linear"),
        FlexibilityModel("book", truncated=_BOOK, conserves_energy=False),
        FlexibilityModel("book_37", truncated=_BOOK, conserves_energy=False),
        FlexibilityModel("book_72", truncated=_BOOK, conserves_energy=False),
        FlexibilityModel(
            "de_luca_siciliano", truncated="keeps the inertia B to first order in the deflections", closed_form=True
        ),
    )
}
FLEXIBILITIES = tuple(MODELS)
