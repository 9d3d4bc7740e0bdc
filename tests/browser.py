"""Debian's Chromium, driven as a visitor would; without it, tests are skipped by name."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: `make browsers` installs it"
)


@contextmanager
def opened_page() -> Iterator[Page]:
    """An empty page in a browser of its own; nothing of it is left behind."""
    with sync_playwright() as playwright:
        # In a container Chromium cannot make the namespaces of its sandbox.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser.new_page()
        finally:
            browser.close()
