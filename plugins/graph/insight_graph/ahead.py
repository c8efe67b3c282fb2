"""Makes the next of many results while one is used."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def ahead(make: Callable[[_Item], _Made], items: Iterable[_Item]) -> Iterator[_Made]:
    """What ``make`` gives for each item, in order. It runs in one thread, one item ahead, which is worth its
    while where it is NumPy or compiled code that lets others run."""
    left = iter(items)
    with ThreadPoolExecutor(1, "graph-ahead") as thread:
        coming = [thread.submit(make, item) for item in itertools.islice(left, 1)]
        while coming:
            found = coming.pop().result()
            coming += [thread.submit(make, item) for item in itertools.islice(left, 1)]
            yield found
