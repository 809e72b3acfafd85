"""How the site is built: `make docs`, or `python -m sphinx -W docs docs/_build/html`. Nothing is fetched."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import lissom

project = "lissom"
copyright = "The lissom developers"
version = release = lissom.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "errata",
    "mathml",
    "measured",
    "names",
    "options",
    "stopping",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"  # `names` in docstrings

# Markdown that also reads well as it is
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "Array": "Array"}  # not what they stand for
python_maximum_signature_line_length = 90  # longer ones have a line for each argument
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
suppress_warnings = ["ref.python"]  # shapes such as (count,) are no references

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\d\d_",
    "ignore_pattern": r"demo\.py|export_model\.py",
    "within_subsection_order": "FileNameSortKey",
    "thumbnail_size": (640, 448),
    "image_scrapers": ("pictures.pictures",),
    "reset_modules": ("pictures.swept",),
    "reset_modules_order": "both",
    "reset_argv": "pictures.fewer",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "capture_repr": (),
    "notebook_extensions": {},  # some examples read files beside them
    "write_computation_times": False,  # that page would fetch scripts
    "min_reported_time": 10**6,  # times are for the performance page
}

html_theme = "furo"
html_title = f"lissom {release}"
html_static_path = ["_static"]
html_css_files = ["lissom.css"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
