"""One browser for all tests of pages."""

import pytest
from tests.views.browser import CHROMIUM, FLAGS


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as tools:
        started = tools.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()
