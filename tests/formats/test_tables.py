"""Tables of numbers: what is wrong with them is named by line and column."""

import pytest

from lissom.formats.tables import read_table


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,q\n# a remark\n0,1\n1,\n", "line 4, column 'q': the cell is empty"),
        ("t,q\n0,1\n1,x\n", "line 3, column 'q': the cell is 'x', not a number"),
        ("t,q\n0,1\n1,2,3\n", "line 3 has 3 cells under 2 names"),
    ],
)
def test_cells_that_are_no_numbers_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        read_table(text)
