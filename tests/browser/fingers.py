"""Measures what fingers press: each control in sight is at least 44 CSS pixels high and wide."""

from __future__ import annotations

from playwright.sync_api import Page

FINGER = 44

EXCEPT = {
    "p a, p button, li > a, .markdown a, .explains a": "links in the middle of a text",
    ".console .number": "the number of a line of a log is as high as the line",
    ".timeline-labels button": "the name of a track is as high as the lanes beside it",
    "canvas ~ button.point, svg *": "points and lines of a drawing",
    ".ih-tabs [role=tab]": "on a phone the line of tabs is a menu",
}

# Controls in sight that are smaller; a press on the label of a box is a press on it. Nothing counts behind
# a dialog.
_SMALL = """([finger, exceptions]) => {
  const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button],'
    + '[role=tab], [role=menuitem], [role=option], [role=radio], [role=checkbox], [role=switch],'
    + '[role=treeitem]';
  const modal = [...document.querySelectorAll('dialog[open], .ih-sheet')].at(-1);
  const inSight = control => {
    const box = control.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.right > 0 && box.left < innerWidth
      && control.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && getComputedStyle(control).clipPath === 'none';
  };
  const place = control => control.closest('label, .hit') ?? control;
  return [...document.querySelectorAll(controls)].flatMap(control => {
    if (modal && !modal.contains(control) && !control.closest(':popover-open')) return [];
    if (!inSight(control) || control.closest('[inert]') || control.matches(exceptions)) return [];
    const { width, height, x, y } = place(control).getBoundingClientRect();
    if (width >= finger - 0.5 && height >= finger - 0.5) return [];
    const name = control.getAttribute('aria-label') || control.textContent.trim();
    const size = `${Math.round(width)} x ${Math.round(height)} at ${Math.round(x)}, ${Math.round(y)}`;
    const of = `${control.tagName.toLowerCase()}.${control.className} in .${control.parentElement.className}`;
    return [`${size}: ${of} "${name.slice(0, 40)}"`];
  });
}"""


def too_small(page: Page) -> list[str]:
    """What a finger may miss: size, place and name of each control in sight below 44 x 44 CSS pixels."""
    return list(page.evaluate(_SMALL, [FINGER, ", ".join(EXCEPT)]))
