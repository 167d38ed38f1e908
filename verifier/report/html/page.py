"""The dress that all pages share: templates, style, script, and the policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from verifier.report.html.words import capitalised, inert, logged, plural
from verifier.resources import root
from verifier.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = "html"


@lru_cache(maxsize=8)
def asset(name: str) -> str:
    """A file of `reports/html`."""
    return (root("reports") / FOLDER / name).read_text(encoding="utf-8")


def _hashed(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(data: bool) -> str:
    """The content security policy: this style, this script, nothing from anywhere else.

    `data`: data files beside the page may be read as well.
    """
    beside = " 'self'" if data else ""
    return (
        f"default-src 'none'; style-src {_hashed(asset('style.css'))}; "
        f"script-src {_hashed(asset('script.js'))}{beside}; base-uri 'none'; form-action 'none'"
    )


def data_text(value: Any) -> str:
    """JSON that no markup can end: plain ASCII, without angle brackets and ampersands."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\x7f", "\\u007f")
    )


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates, with autoescape everywhere. Raises `InternalError` where they are missing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(root("reports") / FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(inert=inert, logged=logged, plural=plural, anchor=anchor, capitalised=capitalised)
    return made


def anchor(name: str) -> str:
    """The fragment of a clause or a rule: letters, digits and dots as they are, all else as numbers."""
    return "".join(c if (c.isalnum() and c.isascii()) or c in ".-" else f"_{ord(c):x}_" for c in name)


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the navigation: a page's key, its title."""

    key: str
    title: str


@dataclass(frozen=True)
class Site:
    """Where pages are: each a file of its own, or all in one (`single`)."""

    title: str
    single: bool
    links: tuple[Link, ...]
    data: bool = False
    up: str = field(default="")

    @cached_property
    def policy(self) -> str:
        return policy(self.data and not self.single)

    def href(self, key: str, fragment: str = "") -> str:
        """The address of a place on the page `key`, from a page that lies `up` below the folder."""
        if self.single:
            return f"#{fragment or key}"
        return f"{self.up}{key}.html" + (f"#{fragment}" if fragment else "")

    def below(self) -> Site:
        """The same site as seen from a folder inside."""
        return Site(self.title, self.single, self.links, self.data, "../")


def body(template: str, site: Site, **values: Any) -> str:
    """One page's content."""
    return environment().get_template(template).render(site=site, **values)


def whole(site: Site, here: str, title: str, *contents: str) -> str:
    """A whole document around pages' contents."""
    from markupsafe import Markup

    return (
        environment()
        .get_template("page.html.j2")
        .render(
            site=site,
            here=here,
            title=title,
            contents=[Markup(content) for content in contents],
            style=Markup(asset("style.css")),
            script=Markup(asset("script.js")),
            version=VERSION,
        )
    )
