"""The page of a study as it is visited in headless Chromium."""

from __future__ import annotations

import chromium


class Visit(chromium.Visit):
    """Of a report."""

    def all_drawn(self) -> None:
        # The page's own policy forbids evaluated text, so waiting is done by selectors.
        self.page.locator("[data-chart]:not(.vega-embed)").first.wait_for(state="detached", timeout=60_000)

    def run_drawn(self) -> None:
        self.page.locator("#detail-panels svg").nth(8).wait_for(timeout=30_000)

    def open_first_run(self) -> None:
        self.page.locator("button[data-run]").first.click()
        self.run_drawn()
