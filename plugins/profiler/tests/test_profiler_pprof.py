"""Profiles of pprof: sums, inlined calls, what is chosen first, and files that are damaged or something else.

Oracle: the messages of the published profile.proto, written by the package protobuf.
"""

from __future__ import annotations

import gzip
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from insight_profiler.building import Unreadable
from insight_profiler.model import Profile, Source
from insight_profiler.stack_files import is_pprof

from tests.stack_profiles import codes_of, read_stacks, summed, sums_of

_JAX = (Path(__file__).parent / "data/jax_memory.prof").read_bytes()
_I64, _U64, _TEXT, _BOOL, _MESSAGE = 3, 4, 9, 8, 11
# fields of the messages: name, number, type, and the message; those of a plural name repeat
_MESSAGES: dict[str, list[tuple[str, int, int, str]]] = {
    "ValueType": [("type", 1, _I64, ""), ("unit", 2, _I64, "")],
    "Label": [("key", 1, _I64, ""), ("str", 2, _I64, ""), ("num", 3, _I64, "")],
    "Sample": [("location_ids", 1, _U64, ""), ("values", 2, _I64, ""), ("labels", 3, _MESSAGE, "Label")],
    "Mapping": [("id", 1, _U64, ""), ("memory_start", 2, _U64, ""), ("filename", 5, _I64, "")],
    "Line": [("function_id", 1, _U64, ""), ("line", 2, _I64, "")],
    "Location": [
        ("id", 1, _U64, ""),
        ("mapping_id", 2, _U64, ""),
        ("address", 3, _U64, ""),
        ("lines", 4, _MESSAGE, "Line"),
    ],
    "Function": [
        ("id", 1, _U64, ""),
        ("name", 2, _I64, ""),
        ("system_name", 3, _I64, ""),
        ("filename", 4, _I64, ""),
    ],
    "Profile": [
        ("sample_types", 1, _MESSAGE, "ValueType"),
        ("samples", 2, _MESSAGE, "Sample"),
        ("mappings", 3, _MESSAGE, "Mapping"),
        ("locations", 4, _MESSAGE, "Location"),
        ("functions", 5, _MESSAGE, "Function"),
        ("string_tables", 6, _TEXT, ""),
        ("time_nanos", 9, _I64, ""),
        ("period_type", 11, _MESSAGE, "ValueType"),
        ("period", 12, _I64, ""),
        ("comments", 13, _I64, ""),
        ("default_sample_type", 14, _I64, ""),
    ],
}
_ONE = {"time_nanos", "address"}


def _classes(*, is_packed: bool) -> Any:  # noqa: ANN401 - a class of protobuf
    file = descriptor_pb2.FileDescriptorProto(
        name=f"{is_packed}.proto", package=f"p{is_packed}", syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for own, number, kind, of in fields:
            repeats = own.endswith("s") and own not in _ONE
            one = message.field.add(name=own, number=number, type=kind, label=3 if repeats else 1)
            if of:
                one.type_name = f".p{is_packed}.{of}"
            elif repeats and kind != _TEXT:
                one.options.packed = is_packed
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"p{is_packed}.Profile"))


_PACKED, _PLAIN = _classes(is_packed=True), _classes(is_packed=False)
_GO = (
    ("alloc_objects", "count"),
    ("alloc_space", "bytes"),
    ("inuse_objects", "count"),
    ("inuse_space", "bytes"),
)


class _Writer:
    """Writes a profile: functions and locations as they are first named."""

    def __init__(self, *types: tuple[str, str], kind: Any = _PACKED) -> None:  # noqa: ANN401
        self.profile = kind()
        self._texts: dict[str, int] = {"": 0}
        self._ids: dict[tuple[tuple[str, int], ...], int] = {}
        for name, unit in types:
            self.profile.sample_types.add(type=self.text(name), unit=self.text(unit))

    def text(self, text: str) -> int:
        return self._texts.setdefault(text, len(self._texts))

    def location(self, *lines: tuple[str, int]) -> int:
        """Of lines of functions, the innermost first; ids are large, and not in order."""
        if lines not in self._ids:
            number = (1 << 63) + 7919 * (len(self._ids) + 3) % 1009
            self._ids[lines] = number
            location = self.profile.locations.add(id=number)
            for name, line in lines:
                function = 5000 - len(self.profile.functions)
                self.profile.functions.add(
                    id=function, name=self.text(name), filename=self.text(f"{name}.go")
                )
                location.lines.add(function_id=function, line=line)
        return self._ids[lines]

    def sample(self, locations: list[int], *values: int) -> None:
        self.profile.samples.add(location_ids=locations, values=values)

    def bytes(self) -> bytes:
        del self.profile.string_tables[:]
        self.profile.string_tables.extend(self._texts)
        data: bytes = self.profile.SerializeToString()
        return data


def _read(directory: Path, data: bytes, name: str = "a.pprof") -> Profile:
    return read_stacks(directory, Source.PPROF, data, name)


@pytest.mark.parametrize("kind", [_PACKED, _PLAIN], ids=["packed", "plain"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_each_measure_has_the_sums_of_the_samples(tmp_path: Path, kind: Any, pack: Any) -> None:  # noqa: ANN401
    rng = random.Random(5)
    writer = _Writer(*_GO, kind=kind)
    calls = [(f"call{place}", place + 1) for place in range(12)]
    stacks = []
    for _ in range(300):
        stack = [rng.choice(calls) for _ in range(rng.randint(1, 14))]
        values = [rng.randint(0, 1 << 40) for _ in _GO]
        writer.sample([writer.location(call) for call in reversed(stack)], *values)
        stacks.append(([f"{name} {name}.go:{line}" for name, line in stack], values))
    profile = _read(tmp_path, pack(writer.bytes()))
    assert is_pprof(pack(writer.bytes())[:4096])
    for place in range(len(_GO)):
        assert sums_of(profile, place) == summed((stack, values[place]) for stack, values in stacks)
    assert profile.documents["samples"]["measures"] == [{"name": name, "unit": unit} for name, unit in _GO]
    assert profile.documents["samples"]["first"] == 3, "as pprof: the last, where nothing else is said"
    assert codes_of(profile) == {}
    samples = profile.tables["samples"]
    counted = sum(values[0] for _, values in stacks)
    assert samples["count"][samples["measure"] == 3].sum() == counted


def test_memory_of_devices_that_jax_wrote_is_that_of_its_arrays(tmp_path: Path) -> None:
    """A list keeps two products of matrices, of 200 x 200 and 300 x 300 numbers of 4 bytes."""
    profile = _read(tmp_path, _JAX, "memory.prof")
    assert is_pprof(_JAX)
    assert [one["unit"] for one in profile.documents["samples"]["measures"]] == ["count", "bytes"]
    found = sums_of(profile, 1)
    assert list(found.values()) == [160_000 + 360_000]
    (path,) = found
    assert path[0].startswith("<module> /home/me/trn/mem.py:")
    assert path[1].startswith("layer ")


def test_times_are_kept_in_nanoseconds(tmp_path: Path) -> None:
    writer = _Writer(("samples", "count"), ("cpu", "microseconds"))
    writer.profile.time_nanos = 1_780_000_000_000_000_000
    writer.sample([writer.location(("main", 3))], 2, 5)
    profile = _read(tmp_path, writer.bytes())
    assert sums_of(profile, 1) == {("main main.go:3",): 5000}
    assert profile.documents["samples"]["measures"][1] == {"name": "cpu", "unit": "ns"}


def test_the_measure_that_the_file_names_is_shown_first(tmp_path: Path) -> None:
    writer = _Writer(*_GO)
    writer.profile.default_sample_type = writer.text("alloc_space")
    writer.sample([writer.location(("main", 3))], 1, 2, 3, 4)
    assert _read(tmp_path, writer.bytes()).documents["samples"]["first"] == 1


def test_calls_that_were_inlined_are_within_the_one_that_has_them(tmp_path: Path) -> None:
    writer = _Writer(("cpu", "nanoseconds"))
    writer.sample(
        [writer.location(("inner", 1), ("middle", 2), ("outer", 3)), writer.location(("main", 4))], 9
    )
    expected = ("main main.go:4", "outer outer.go:3", "middle middle.go:2", "inner inner.go:1")
    assert sums_of(_read(tmp_path, writer.bytes())) == {expected: 9}


def test_calls_without_a_function_are_addresses(tmp_path: Path) -> None:
    writer = _Writer(("cpu", "nanoseconds"))
    writer.profile.mappings.add(id=4, filename=writer.text("/lib/libc.so"))
    writer.profile.locations.add(id=1, mapping_id=4, address=0xFFFF_8000_0000_1234)
    writer.profile.locations.add(id=2, lines=[{"function_id": 99}])
    writer.sample([1, 2, 3], 5)
    assert sums_of(_read(tmp_path, writer.bytes())) == {("?", "?", "0xffff800000001234 /lib/libc.so"): 5}


def test_units_that_are_not_known_stay_as_they_are(tmp_path: Path) -> None:
    writer = _Writer(("energy", "joules"))
    writer.sample([writer.location(("main", 3))], 5)
    assert _read(tmp_path, writer.bytes()).documents["samples"]["measures"] == [
        {"name": "energy", "unit": "joules"}
    ]


def test_samples_that_do_not_fit_are_counted_and_left_out(tmp_path: Path) -> None:
    writer = _Writer(("samples", "count"), ("cpu", "nanoseconds"))
    main = writer.location(("main", 3))
    writer.sample([main], 1, 5)
    writer.sample([main], 1)
    writer.sample([main], 1, -7)
    writer.sample([], 1, 70)
    profile = _read(tmp_path, writer.bytes())
    assert sums_of(profile, 1) == {("main main.go:3",): 5}
    assert codes_of(profile) == {"samples_odd": 1, "samples_negative": 1}


def test_a_file_that_is_cut_gives_what_is_whole(tmp_path: Path) -> None:
    """Texts come after samples: names are lost, and the numbers stay."""
    writer = _Writer(("cpu", "nanoseconds"))
    for place in range(50):
        writer.sample([writer.location((f"call{place}", 1))], place)
    data = writer.bytes()
    profile = _read(tmp_path, data[:-5])
    assert sum(sums_of(profile).values()) == sum(range(50))
    assert "truncated" in codes_of(profile)
    for end in range(0, len(data), 7):
        with suppress(Unreadable):
            assert sum(sums_of(_read(tmp_path, data[:end])).values()) <= sum(range(50))


def test_damaged_bytes_never_break_the_reader(tmp_path: Path) -> None:
    rng = random.Random(7)
    data = gzip.decompress(_JAX)
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 8)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        with suppress(Unreadable):
            sums_of(_read(tmp_path, bytes(damaged)))
        is_pprof(bytes(damaged))


def test_samples_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    """A location of many inlined calls, named many times: 400 kB that are 10^10 calls."""
    writer = _Writer(("cpu", "nanoseconds"))
    location = writer.profile.locations.add(id=1)
    for _ in range(50_000):
        location.lines.add(function_id=1)
    writer.sample([1] * 200_000, 5)
    with pytest.raises(Unreadable, match=r"a\.pprof have 10000000000 calls or more"):
        _read(tmp_path, writer.bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 99,
        b"hello",
        b"\x0a\x7f",
        _Writer().bytes() + b"\x12\0",
        b"{}",
        gzip.compress(b"", mtime=0),
    ],
)
def test_other_files_are_named(tmp_path: Path, data: bytes) -> None:
    assert not is_pprof(data)
    with pytest.raises(Unreadable, match=r"a\.pprof is not a profile of pprof"):
        _read(tmp_path, data)


def test_a_profile_without_samples_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"a\.pprof has no samples"):
        _read(tmp_path, _Writer(("cpu", "nanoseconds")).bytes())


def test_other_messages_are_not_of_pprof() -> None:
    """A graph of TensorFlow begins with a node: a message with texts."""
    node = b"\x0a\x05input\x12\x0bPlaceholder"
    graph = b"\x0a" + bytes([len(node)]) + node
    assert not is_pprof(graph * 20)
    assert not is_pprof(b"\x80\x04\x95" + bytes(100))
    assert not is_pprof(b"{" + bytes(range(256)) * 8), "marshalled, as cProfile writes it"
