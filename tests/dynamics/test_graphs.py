"""Straight-line code computes what it computed in commit 00024d4, operation by operation."""

import json

import pytest
from tests.dynamics.graph_prints import NAMES, STORED, prints_of


@pytest.mark.parametrize("name", NAMES)
def test_graphs_are_those_of_the_stored_commit(name):
    """Equal graphs, or graphs of at most 0.2 % more operations."""
    found = prints_of(name)
    for word, (digest, operations) in json.loads(STORED.read_text())[name].items():
        have, count = found[word]
        assert have == digest or count <= 1.002 * operations, word
