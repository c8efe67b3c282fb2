"""What the flags make of a start: tokens in files, addresses to open, and binds that are refused."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from insight_access.wrapping import is_of_this_machine_only

from insight_core.plugin import InvalidArgument
from insight_core.token_files import token_in
from tests.guarded_hosts import TOKEN, Guarded, guarded_host

NO_FILES = {"token_file": None, "read_token_file": None}


@pytest.fixture
def guarded(tmp_path: Path) -> Callable[..., Guarded]:
    return partial(guarded_host, tmp_path)


def test_every_start_has_another_token_and_prints_it(guarded: Callable[..., Guarded]) -> None:
    first, second = guarded(**NO_FILES), guarded(**NO_FILES)
    assert first.printed == first.opened
    assert first.printed["token"] != second.printed["token"]
    assert len(first.printed["token"]) >= 43
    assert first.client().get(f"/?token={first.printed['token']}").status_code == 303


def test_the_token_of_a_file_is_not_printed(guarded: Callable[..., Guarded]) -> None:
    start = guarded()
    assert start.opened == {"token": TOKEN}
    assert start.printed == {}
    assert not any(TOKEN in text for text in start.said)


def test_a_start_without_token_says_so_and_lets_all_in(guarded: Callable[..., Guarded]) -> None:
    start = guarded(token=False, **NO_FILES)
    assert "everybody" in start.said[0]
    assert start.client().get("/data/runs").status_code == 200


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"token": False}, "--token-file cannot be combined with --no-token"),
        ({"token": False, "token_file": None}, "--read-token-file cannot be combined with --no-token"),
        ({"trust_proxy": "X User"}, "not the name of a header"),
        ({"trust_proxy": "Host"}, "does not name a user"),
    ],
)
def test_flags_that_cannot_be(
    guarded: Callable[..., Guarded], options: dict[str, object], reason: str
) -> None:
    with pytest.raises(InvalidArgument, match=reason):
        guarded(**options)


def test_guests_need_a_token_of_their_own(guarded: Callable[..., Guarded], tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="guests need another token"):
        guarded(read_token_file=str(tmp_path / "token_file"))


def _file(path: Path, text: str, mode: int) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_of_ours_that_others_may_touch_is_refused(tmp_path: Path, mode: int) -> None:
    with pytest.raises(InvalidArgument, match=rf"--token-file .*mode 0{mode:o}.*chmod 600"):
        token_in(_file(tmp_path / "token", TOKEN, mode), "--token-file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_a_file_of_another_user_may_have_any_mode(tmp_path: Path) -> None:
    path = _file(tmp_path / "token", TOKEN, 0o644)
    os.chown(path, 1, 1)
    assert token_in(path, "--token-file") == TOKEN


@pytest.mark.parametrize("text", ["", "short", "two words of a token", "umlaut-\xe4-0123456789", "x" * 1025])
def test_a_token_in_a_file_is_long_and_without_spaces(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidArgument, match="first line must be a token") as raised:
        token_in(_file(tmp_path / "token", text, 0o600), "--token-file")
    assert not text or text not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=f"--token-file {tmp_path}/none: No such file"):
        token_in(f"{tmp_path}/none", "--token-file")


@pytest.mark.parametrize(
    "bound", ["127.0.0.1", "127.8.1.2", "::1", "[::1]", "localhost", "no.such.name.invalid"]
)
def test_addresses_of_this_machine_only(bound: str) -> None:
    assert is_of_this_machine_only(bound)


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", "[::]", "0", "192.0.2.7", "fe80::1%eth0", ""])
def test_addresses_that_others_reach(bound: str) -> None:
    assert not is_of_this_machine_only(bound)


@pytest.mark.parametrize(
    ("token", "encrypted", "missing"),
    [
        (True, False, "without TLS"),
        (False, True, "without a token"),
        (False, False, "without a token and TLS"),
    ],
)
def test_a_bind_beyond_this_machine_needs_token_and_tls(
    guarded: Callable[..., Guarded], token: bool, encrypted: bool, missing: str
) -> None:
    settings = {"bound_host": "0.0.0.0", "encrypted": encrypted}
    with pytest.raises(
        InvalidArgument, match=f"--host 0.0.0.0 .*: {missing}.*ssh -L.*--tls-cert.*--insecure"
    ):
        guarded(settings=settings, token=token, **NO_FILES)
    insecure = guarded(settings={**settings, "insecure": True}, token=token, **NO_FILES)
    assert re.search(missing, insecure.said[0])


def test_with_both_it_listens_anywhere(guarded: Callable[..., Guarded]) -> None:
    assert guarded(settings={"bound_host": "0.0.0.0", "encrypted": True}, **NO_FILES).printed
