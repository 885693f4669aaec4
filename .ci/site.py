"""Takes the pages that lie outside docs/ into the site and bends the links that lead to them or from them.

mkdocs sees docs/ alone; a link to any other file of the repository would be broken on the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "contract/README.md": "project/contract.md",
}
FOLDERS = ("guides", "concepts", "measurements", "studies")
_LINK_RE = re.compile(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace a folder in the navigation by its pages."""
    for entry in config.nav or []:
        for title, part in entry.items():
            if isinstance(part, str) and part.rstrip("/") in FOLDERS:
                entry[title] = [f"{part}{page.name}" for page in sorted((ROOT / "docs" / part).glob("*.md"))]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside."""
    for source, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Bend each link to where its target lies on the site; a file that is not on the site becomes plain text."""
    place = page.file.src_uri
    origins = {site: source for source, site in OUTSIDE.items()}
    source = origins.get(place, f"docs/{place}")

    def bent(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[1]))
        if not (ROOT / target).exists():
            return match[0]  # mkdocs says that it is broken
        inside = OUTSIDE.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if inside is None:
            return "](#)"
        return f"]({posixpath.relpath(inside, posixpath.dirname(place) or '.')}{match[2] or ''})"

    return _LINK_RE.sub(bent, markdown)
