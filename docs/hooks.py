"""Adds the files at the top of the repository to the documentation site, and mends their links.

README.md becomes the home page; ARCHITECTURE.md, CONTRIBUTING.md, SECURITY.md and CHANGELOG.md
become pages. Links between them and the pages in docs/ work on both sides. The files in examples/
are copied. A link to any other file of the repository becomes plain text, because the site does not
hold it.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]

# a file of the repository -> its page
TOP = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
PAGES = {page: name for name, page in TOP.items()}
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and the examples."""
    for name, page in TOP.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text()))
    for path in sorted((ROOT / "examples").rglob("*.*")):
        if path.is_file() and path.suffix != ".pyc":
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the page with links as the site needs them."""
    here = page.file.src_uri
    source = PAGES.get(here, f"docs/{here}")  # where the page stands in the repository

    def mended(found: re.Match[str]) -> str:
        picture, text, target, anchor = found.groups()
        path = normpath(f"{dirname(source)}/{target}" if dirname(source) else target)
        on_site = TOP.get(path) or path.removeprefix("docs/")
        if not path.startswith(("docs/", "examples/")) and path not in TOP:
            if (ROOT / path).exists():
                return text
            return found[0]  # leads nowhere: left for the check of links
        return f"{picture}[{text}]({relpath(on_site, dirname(here) or '.')}{anchor or ''})"

    return LINK.sub(mended, markdown)
