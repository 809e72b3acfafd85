"""`gait_report`: what a walk is like, in numbers and in curves over the cycle, beside references."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import ArrayLike

from lissom.errors import InputError, shown, suggest
from lissom.formats.tables import save_csv
from lissom.gait.curves import GRID, KINDS, GaitCurves, Likeness, likeness
from lissom.gait.cycles import cycles_of, mean_of
from lissom.gait.legs import SIDES
from lissom.gait.measures import Measure, measures_of
from lissom.gait.opensim import load_gait
from lissom.gait.samples import GaitSamples
from lissom.gait.walk import Walk
from lissom.keywords import check_keywords, without_unknown
from lissom.listing import Listing
from lissom.markup import Markup, paragraphs, tag
from lissom.verbs.arguments_of_state import as_one_state

if TYPE_CHECKING:
    from lissom.motion.result.motion import Motion
