"""A headless Chromium for tests of pages, and a visit that notes whatever the page says or asks for."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
skip_without = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine: apt-get install chromium")
needs_chromium = [pytest.mark.browser, skip_without]
_ARGUMENTS = ("--no-sandbox", "--disable-gpu")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a file."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = launched(driver)
        yield browser
        browser.close()


def launched(driver: Playwright) -> Browser:
    """This machine's Chromium, without a window."""
    return driver.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)


class Visit:
    """A page that was gone to.

    Parameters
    ----------
    before : a script that is run before the page's own
    """

    def __init__(
        self, browser: Browser, address: str, width: int = 1280, scheme: str = "light", *, before: str = ""
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.add_init_script(before)
        self.page.goto(address)

    def fits(self) -> bool:
        """Whether nothing sticks out on the right."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
