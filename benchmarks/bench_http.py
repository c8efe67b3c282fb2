"""Answers a second over HTTP: four connections from one client, which are kept where the server allows.

The same three questions to either host: all tags; one series as a chart draws it (ours to 300 columns,
TensorBoard's at most 1000 points); one tag of all runs (ours as safetensors, as the page asks for it).
"""

from __future__ import annotations

import http.client
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from typing import TypeAlias
from urllib.parse import urlencode

from attrs import frozen

from benchmarks.corpus import Corpus, WrittenCorpus, run_name, tag_names
from benchmarks.hosts import our_host, tensorboard_host
from benchmarks.processes import Failed, Program
from benchmarks.table import OURS, TENSORBOARD, Row, median

_CONNECTIONS = 4
_SECONDS = 2.0
_TIMEOUT = 30.0  # seconds


@frozen
class Question:
    path: str
    body: str | None = None  # of a POST


Ask: TypeAlias = Callable[[Corpus, int], Question]  # the i-th of many, about another run or tag each


def _our_series(corpus: Corpus, i: int) -> Question:
    run, tag = _pair(corpus, i)
    return Question("/data/plugin/scalar/series?" + urlencode({"run": run, "tag": tag, "width": 300}))


def _their_series(corpus: Corpus, i: int) -> Question:
    run, tag = _pair(corpus, i)
    return Question("/data/plugin/scalars/scalars?" + urlencode({"run": run, "tag": tag}))


def _our_card(corpus: Corpus, i: int) -> Question:
    _, tag = _pair(corpus, i)
    query = urlencode({"tag": tag, "width": 300, "format": "safetensors"})
    return Question("/data/plugin/scalar/series?" + query)


def _their_card(corpus: Corpus, i: int) -> Question:
    _, tag = _pair(corpus, i)
    runs = [("runs", run_name(number)) for number in range(corpus.runs)]
    return Question("/data/plugin/scalars/scalars_multirun", urlencode([("tag", tag), *runs]))


def _pair(corpus: Corpus, i: int) -> tuple[str, str]:
    tags = tag_names(corpus.tags)
    return run_name(i // len(tags) % corpus.runs), tags[i % len(tags)]


QUESTIONS: Mapping[str, Mapping[str, Ask]] = {
    "HTTP: all tags": {
        OURS: lambda corpus, i: Question("/data/plugin/scalar/tags"),
        TENSORBOARD: lambda corpus, i: Question("/data/plugin/scalars/tags"),
    },
    "HTTP: one series": {OURS: _our_series, TENSORBOARD: _their_series},
    "HTTP: one tag of all runs": {OURS: _our_card, TENSORBOARD: _their_card},
}


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    hosts: dict[str, AbstractContextManager[tuple[Program, float]]] = {OURS: our_host(corpus, "--no-cache")}
    if os.environ.get("INSIGHT_PEER_TENSORBOARD"):
        hosts[TENSORBOARD] = tensorboard_host(corpus)
    with ExitStack() as stack:
        ports = {}
        for name, host in hosts.items():
            try:
                ports[name] = stack.enter_context(host)[0].port
            except Failed as error:
                print(f"{name} on {corpus.name}: {error}", file=sys.stderr)
        rates: dict[str, dict[str, list[float]]] = {}
        for _ in range(rounds):
            for measured, asks in QUESTIONS.items():
                for name, port in ports.items():
                    rate = _answers_a_second(port, corpus.content, asks[name])
                    rates.setdefault(measured, {}).setdefault(name, []).append(rate)
    return [
        Row(corpus.name, measured, "/s", {name: median(found) for name, found in each.items()})
        for measured, each in rates.items()
    ]


def _answers_a_second(port: int, corpus: Corpus, ask: Ask) -> float:
    """NaN when any answer is no 200."""
    numbers, answers = count(), [0] * _CONNECTIONS
    failures: list[str] = []

    def go_on(index: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)
        try:
            while time.perf_counter() < end and not failures:
                question = ask(corpus, next(numbers))
                if question.body is None:
                    connection.request("GET", question.path)
                else:
                    form = {"Content-Type": "application/x-www-form-urlencoded"}
                    connection.request("POST", question.path, question.body, form)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failures.append(f"{question.path}: {answer.status}")
                answers[index] += 1
        except (OSError, http.client.HTTPException) as error:
            failures.append(str(error))
        finally:
            connection.close()

    began = time.perf_counter()
    end = began + _SECONDS
    threads = [threading.Thread(target=go_on, args=(index,)) for index in range(_CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        print(failures[0], file=sys.stderr)
        return math.nan
    return sum(answers) / (time.perf_counter() - began)
