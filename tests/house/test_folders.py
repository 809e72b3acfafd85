"""No folder of the outer rooms is crowded."""

from pathlib import Path

import pytest

import lissom

SOURCE = Path(lissom.__file__).parent
# the most files at one level, in a room and in each of its folders
MOST_FILES = {"motion": 15, "simulation": 15, "studies": 15, "work": 15, "views": 20, "identification": 15, "cli": 20}


@pytest.mark.parametrize("room", MOST_FILES)
def test_folders_are_not_crowded(room):
    folders = [SOURCE / room, *(path for path in (SOURCE / room).rglob("*") if path.is_dir())]
    counts = {str(folder.relative_to(SOURCE)): len(list(folder.glob("*.py"))) for folder in folders}
    assert not {folder: count for folder, count in counts.items() if count > MOST_FILES[room]}
