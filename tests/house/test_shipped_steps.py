"""What the tool for wheels compiles is what the engine asks for."""

import functools

from tests.arms import random_arm
from tools import ship_steps

import lissom as ls
from lissom.engine import shipped


def keys(arms):
    return {part.key for part in ship_steps.parts(arms)}


@functools.cache
def listed():
    return keys(ship_steps.arms())


def test_rigid_arms_ask_only_for_steps_on_the_list():
    """Also arms that the tool does not know: each of their steps is found by its key."""
    for arm in (random_arm(1, 15), ls.load("tree_demo")):
        assert keys([arm]) <= listed()


def test_files_in_this_folder_are_of_these_sources():
    """Files are not in git. Where some were made, a change of the sources makes them useless."""
    for path in shipped.FOLDER.glob("*.steps"):
        made = set(shipped.read(path).places)
        assert path.stem in shipped.LEVELS
        assert made == {shipped.digest(key.encode()) for key in listed()}, (
            f"{path.name} is of other sources: run python -m tools.ship_steps, or remove it"
        )
