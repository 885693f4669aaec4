"""The picture of a report for the front page: what stands first on a desktop, 1,600 pixels wide.

dbdyno import sysbench LOGS -o /var/tmp/p26       the public logs of the study of ten servers, unpacked
dbdyno report /var/tmp/p26
python benches/picture.py /var/tmp/p26/report.html docs/images/report.png
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1500, 1400
SCALE = 1600 / WIDTH
MARGIN_PX = 16
MOST_BYTES = 400_000


def main() -> int:
    """Take the picture; 1 if it is too large to stand in a README."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    choices = parser.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE, color_scheme=choices.scheme
        )
        page.goto(choices.page.resolve().as_uri())
        page.locator("#chart-answer svg").wait_for(timeout=60_000)
        end = page.locator(".first").evaluate("(first) => first.getBoundingClientRect().bottom") + MARGIN_PX
        page.screenshot(path=choices.picture, clip={"x": 0, "y": 0, "width": WIDTH, "height": end})
        browser.close()
    size = choices.picture.stat().st_size
    print(f"{choices.picture}: {size / 1000:.0f} kB")
    return int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
