"""One visit of a page in a headless Chromium: painted, scrolled, filtered, a run opened, a cursor moved, printed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping

from playwright.sync_api import CDPSession, Page

READ_PX, FLICK_PX = 30, 120
"""Pixels a frame: somebody who looks while scrolling; somebody who goes elsewhere."""
_SCROLL = """
([step, most]) => new Promise((done) => {
  const end = Math.min(document.documentElement.scrollHeight - innerHeight, scrollY + most), gaps = [];
  const charts = [...document.querySelectorAll("[data-chart]")];
  const isBlank = (chart) => {
    const box = chart.getBoundingClientRect();
    return !chart.firstElementChild && box.bottom > 0 && box.top < innerHeight && box.height > 0;
  };
  let last = performance.now(), y = scrollY, blank = 0, since = null, longest = 0;
  const next = (now) => {
    gaps.push(now - last); last = now; y += step;
    const isBlankNow = charts.some(isBlank);
    blank += isBlankNow;
    since = isBlankNow ? since ?? now : null;
    if (isBlankNow) longest = Math.max(longest, now - since);
    if (y >= end) return done({ gaps: gaps.slice(1), blank, longest });
    scrollTo(0, y); requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})
"""
_FILTER = """
() => new Promise((done) => {
  const select = document.getElementById("connections"), began = performance.now();
  select.selectedIndex = 3; select.dispatchEvent(new Event("change"));
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - began)));
})
"""
_MOVE = """
() => new Promise((done) => {
  const chart = document.querySelector("#detail-panels .chart"), box = chart.getBoundingClientRect(), gaps = [];
  let last = performance.now(), x = box.left + 80;
  const next = (now) => {
    gaps.push(now - last); last = now; x += 4;
    if (x > box.right - 20) return done(gaps.slice(1));
    chart.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: box.top + 30, bubbles: true }));
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})
"""
_UNDRAWN = "[data-chart]:not(.vega-embed):not(.empty *):visible"


def measured(page: Page) -> dict[str, float]:
    """What one visit measured; the unit is the last word of each name."""
    page.wait_for_timeout(500)
    found = {
        "first paint, ms": page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"),
        "loaded, ms": page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"),
    }
    page.locator("[data-chart].vega-embed svg").first.wait_for(timeout=60_000)
    found["first chart, at the latest, ms"] = page.evaluate("performance.now()")
    found |= _scrolled(page, "at once, reading", READ_PX, 12_000)
    found |= _scrolled(page, "at once, flicking", FLICK_PX, 24_000)
    page.evaluate("scrollTo(0, 0)")
    page.locator(_UNDRAWN).first.wait_for(state="detached", timeout=240_000)
    found["all charts drawn after, s"] = page.evaluate("performance.now()") / 1000
    found |= _memory(page)
    found |= _scrolled(page, "all drawn, reading", READ_PX, 12_000)
    page.evaluate("scrollTo(0, 0)")
    found |= _scrolled(page, "all drawn, flicking", FLICK_PX, 10**7)
    page.evaluate("scrollTo(0, 0)")
    found["filter, until the next frame, ms"] = page.evaluate(_FILTER)
    return found | _opened(page) | _printed(page)


def _scrolled(page: Page, how: str, step_px: int, most_px: int) -> dict[str, float]:
    told = page.evaluate(_SCROLL, [step_px, most_px])
    frames = _frames(f"scrolled {how}", told["gaps"])
    blank = {
        f"scrolled {how}: frames with a blank chart in view, %": 100 * told["blank"] / len(told["gaps"]),
        f"scrolled {how}: longest stretch with one, ms": told["longest"],
    }
    return frames | blank


def _frames(what: str, gaps: list[float]) -> dict[str, float]:
    return {
        f"{what}: frame, median, ms": statistics.median(gaps),
        f"{what}: frame, p95, ms": sorted(gaps)[int(0.95 * len(gaps))],
        f"{what}: frame, longest, ms": max(gaps),
    }


def _opened(page: Page) -> dict[str, float]:
    began = page.evaluate("performance.now()")
    page.locator("button[data-run]:visible").first.click()
    page.locator("#detail-panels svg").nth(1).wait_for(timeout=60_000)
    opened = page.evaluate("performance.now()") - began
    page.locator("#detail-panels svg").nth(6).wait_for(timeout=60_000)
    return {"a run opened, two panels, ms": opened} | _frames("cursor moved", page.evaluate(_MOVE))


def _printed(page: Page) -> dict[str, float]:
    began = time.monotonic()
    sheet = page.pdf()
    return {"printed, s": time.monotonic() - began, "print, MB": len(sheet) / 1e6}


def _memory(page: Page) -> dict[str, float]:
    session: CDPSession = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    told: Mapping[str, float] = {x["name"]: x["value"] for x in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return {"script memory, MB": told["JSHeapUsedSize"] / 1e6, "elements, thousands": told["Nodes"] / 1000}
