"""Parses MindSpore's ``.ir`` files, the text of a graph after a stage of compilation (``save_graphs=2``).

    %para1_x : <Tensor[Float32], (2, 3)>
    subgraph @main() {
      %0(a) = Sub(%para1_x, Tensor(shape=[], dtype=Float32, value=1)) primitive_attrs: {input_names: [x, y]}
          : (<Tensor[Float32], (2, 3)>, <Tensor[Float32], ()>) -> (<Tensor[Float32], (2, 3)>)
          # Fullname with scope: (Default/Sub-op1)
      Return(%0)
    }

Source: https://www.mindspore.cn/docs (IR file analysis), of versions 1.7 to 2.7.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from attrs import define, field

from insight_core.plugin import Reason
from insight_graph.columns import Attribute, Graph, Kind, NodeDetails, OutputType, Shape
from insight_graph.graph_builder import GraphBuilder
from insight_graph.mindspore_nodes import CONSTANT, PARAMETER
from insight_graph.order import topological
from insight_graph.pieces import MOST_MESSAGES, TOO_LARGE
from insight_graph.scopes import joined
from insight_graph.unreadable import ends_in_line

FORMAT = "mindspore"
_PARAMETER = re.compile(r"%para(?P<number>\d+)(?:_(?P<name>\S*?))?\s*:\s*(?P<type><.*)")
_SUBGRAPH = re.compile(r"subgraph @(?P<name>\S+?)\s*(?:parent:.*?)?\((?P<parameters>.*)\)[^()]*\{")
_NODE = re.compile(
    r"\s+%(?P<number>\d+)\((?P<name>.*?)\) = "
    r"(?P<type>call @\S+?|%\w+\[@.*?\)?\]|[^\s(\[{]+)(?=[(\[{ ])(?P<rest>.*)"
)
_RETURN = re.compile(r"\s+Return(?P<rest>\(.*)")
_REFERENCE = re.compile(
    r"(?:\$\((?P<graph>[^)]*)\)\s*:?\s*)?%(?P<name>para\d+|\d+)(?:_\S*)?(?:\[(?P<output>\d+)\])?"
)
_TYPES = re.compile(r"\s+: \(.*\) -> \((?P<types>.*)\)|\s+: \((?P<only>.*)\)\s*$")
_FULL_NAME = re.compile(r"\s+#\s*(?i:full ?name) with scope: \((?P<path>.*)\)")
_SCOPE = re.compile(r"\s+#\s*(?i:scope)\s*: \((?P<path>.*)\)")
_SOURCE = re.compile(r"\s+#\s*In file (?P<source>.*)")
_TENSOR = re.compile(r"(?:Ref\[)?Tensor(?:\[(?P<type>\w+)\]|\((?P<short>\w+)\)(?:\[(?P<sizes>[^\]]*)\])?)")
_SHAPE = re.compile(r"\((?P<sizes>[-\d, ]*)\)")
_TUPLE = re.compile(r"(?:Tuple|List)\[(.*)\]")
_TUPLE_SHAPE = re.compile(r"(?:Tuple|List)Shape\((.*)\)")
_NUMBER = re.compile(r"U?Int\d+|Float\d+|Bool")
_MOST_OUTPUTS = 1000  # of a tuple
_SHORT = {"F": "float", "I": "int", "U": "uint", "BF": "bfloat"}
_OPEN, _CLOSE = "([{<", ")]}>"
_LONGEST = 1 << 12  # characters of a constant that are kept


def graph_of_text(data: bytes) -> Graph:
    """Raises ValueError for a text that is no such graph."""
    text = data.decode("utf-8", "replace")
    reader = _Reader(GraphBuilder(FORMAT), text)
    reader.read()
    if not len(reader.builder.names):
        raise ValueError(Reason("the text describes no graph of MindSpore", "graph_not_ir"))
    return reader.builder.graph(reader.details, topological, len(data))


@define(eq=False)
class _Node:
    """An operator whose lines are being read."""

    number: str
    type: str
    inputs: str
    start: int  # in the text
    path: str = ""
    scope: str = ""
    types: str = ""


@define(eq=False)
class _Reader:
    builder: GraphBuilder
    text: str
    starts: array[int] = field(factory=lambda: array("q"))  # by node: where it begins, or -1 - its constant
    constants: list[str] = field(factory=list)
    parameters: dict[str, int] = field(factory=dict)  # by number: para1
    graph: str = ""  # the one that is being read
    pending: list[_Node] = field(factory=list)
    count: int = 0  # of graphs

    def read(self) -> None:
        """Reads the lines one after another."""
        is_open, at, line_number = False, 0, 0
        for line in self.text.splitlines(keepends=True):
            line_number += 1
            start, at = at, at + len(line)
            if not is_open:
                if found := _SUBGRAPH.match(line):
                    is_open = True
                    self._begin(found)
                elif found := _PARAMETER.match(line):
                    self._parameter(found["number"], found["name"] or "", found["type"], start)
            elif line.startswith("}"):
                self._finish()
                is_open = False
            else:
                self._line(line, start)
        if is_open:
            self._finish()
            self.builder.truncated(ends_in_line(line_number))

    def _begin(self, found: re.Match[str]) -> None:
        self.graph = found["name"]
        self.count += 1
        for one in _split(found["parameters"]):
            named = re.match(r"%para(\d+)(?:_(\S+?))?(?:\s*:\s*(.*))?$", one)
            if named and f"para{named[1]}" not in self.parameters:
                self._parameter(named[1], named[2] or "", named[3] or "", found.start())

    def _line(self, line: str, start: int) -> None:
        if found := _NODE.match(line):
            self.pending.append(_Node(found["number"], found["type"], found["rest"], start))
        elif found := _RETURN.match(line):
            self.pending.append(_Node("", "Return", found["rest"], start))
        elif self.pending:
            node = self.pending[-1]
            if found := _TYPES.match(line):
                node.types = node.types or found["types"] or ""
            elif found := _FULL_NAME.match(line):
                node.path = found["path"]
            elif found := _SCOPE.match(line):
                node.scope = found["path"]

    # --- nodes ------------------------------------------------------------------------------------

    def _add(self, path: str, type_name: str, kind: Kind, signature: int, start: int, *, placed: bool) -> int:
        if len(self.starts) >= MOST_MESSAGES:
            raise ValueError(TOO_LARGE(most=MOST_MESSAGES))
        self.starts.append(start)
        return self.builder.node(path, type_name, kind, signature, placed=placed)

    def _parameter(self, number: str, name: str, type_text: str, start: int) -> None:
        signature = self.builder.signature(_output_types(type_text[: type_text.rfind(">") + 1]))
        shown = name or f"para{number}"
        node = self._add(shown, PARAMETER, Kind.PARAMETER, signature, start, placed=False)
        self.parameters[f"para{number}"] = node

    def _constant(self, text: str) -> int:
        self.constants.append(text[:_LONGEST])
        place = -len(self.constants)
        signature = self.builder.signature(_constant_types(text))
        node = self._add(
            f"const{len(self.constants)}", CONSTANT, Kind.CONSTANT, signature, place, placed=False
        )
        if whole := re.fullmatch(r"(?:[IU]\d+|U?Int\d+)\((-?\d{1,18})\)|(-?\d{1,18})", text):
            self.builder.whole_numbers[node] = int(whole[1] or whole[2])
        return node

    def _finish(self) -> None:
        """Adds the operators of a graph, and the edges between them."""
        nodes: dict[str, int] = {}
        added = []
        for one in self.pending:
            kind = one.type.partition(" @")[0] if one.type.startswith("call @") else one.type
            kind = "call" if kind.startswith("%") else kind
            own = f"{kind}-{one.number}" if one.number else kind
            outer = joined(one.scope, self.graph) if self.count > 1 else one.scope
            signature = self.builder.signature(_output_types(one.types))
            path = one.path or joined(outer, own)
            node = self._add(path, kind, Kind.OPERATOR, signature, one.start, placed=True)
            nodes[one.number] = node
            added.append(node)
        known: dict[str, int] = {}
        for one, node in zip(self.pending, added, strict=True):
            for slot, argument in enumerate(_arguments(one.inputs)):
                found = _REFERENCE.fullmatch(argument)
                if found is None:
                    source = known.get(argument)
                    if source is None:
                        source = known[argument] = self._constant(argument)
                    self.builder.edge(source, node, slot)
                    continue
                sources = self.parameters if found["name"].startswith("para") else nodes
                at = None if found["graph"] else sources.get(found["name"])
                if at is None:
                    self.builder.missing_input(node, slot, argument)
                else:
                    self.builder.edge(at, node, slot, int(found["output"] or 0))
        self.pending.clear()

    # --- on request -------------------------------------------------------------------------------

    def details(self, number: int) -> NodeDetails:
        """What the lines of a node say."""
        start = self.starts[number]
        if start < 0:
            return NodeDetails(value=self.constants[-start - 1])
        lines = self.text[start : start + (1 << 16)].splitlines()
        path = scope = ""
        source: list[str] = []
        for line in lines[1:]:
            if _NODE.match(line) or _RETURN.match(line) or line.startswith("}"):
                break
            if found := _FULL_NAME.match(line):
                path = found["path"]
            elif found := _SCOPE.match(line):
                scope = found["path"]
            elif found := _SOURCE.match(line):
                source.append(found["source"])
        found = _NODE.match(lines[0]) if lines else None
        attributes = list(_attributes(found["rest"])) if found else []
        if found and "@" in found["type"]:
            attributes.insert(0, _attribute("graph", found["type"].partition("@")[2].rstrip("]")))
        return NodeDetails(path, scope, "\n".join(source), attributes=attributes)


def _split(text: str) -> Iterator[str]:
    """The parts between commas that are in no brackets or quotes."""
    if not any(one in text for one in _OPEN) and '"' not in text:
        yield from (part for part in text.split(", ") if part)
        return
    depth, begin, quote = 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"':
            quote = not quote
        elif quote:
            continue
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE and not (letter == ">" and text[place - 1] in "-="):
            depth -= 1
        elif letter == "," and depth <= 0:
            yield text[begin:place].strip()
            begin = place + 1
    if last := text[begin:].strip():
        yield last


def _bracketed(text: str, start: int) -> int:
    """Where the bracket at ``start`` is closed; the end of the text where it is not."""
    depth, quote = 0, False
    for place in range(start, len(text)):
        letter = text[place]
        if letter == '"':
            quote = not quote
        elif quote:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return place
    return len(text)


def _arguments(rest: str) -> list[str]:
    """What an operator takes: the first parentheses, behind attributes in brackets."""
    begin = rest.find("(")
    if rest.startswith(("[", "{")):
        begin = rest.find("(", _bracketed(rest, 0))
    if begin < 0:
        return []
    end = rest.find(")", begin)
    if "(" in rest[begin + 1 : end] or '"' in rest[begin:end]:
        end = _bracketed(rest, begin)
    return list(_split(rest[begin + 1 : end]))


def _attributes(rest: str) -> Iterator[Attribute]:
    """Attributes of an operator: behind ``primitive_attrs`` and the like, or before its inputs."""
    for found in re.finditer(r"(?:\w*attrs: |instance name: )?([\[{])(?=\w[^\[\](){}]*: )", rest):
        inside = rest[found.start(1) + 1 : _bracketed(rest, found.start(1))]
        for part in _split(inside):
            name, colon, value = part.partition(":")
            if colon:
                yield _attribute(name.strip(), value.strip())
        if found[1] == "{":
            rest = rest[: found.start(1)]


def _attribute(name: str, value: str) -> Attribute:
    return Attribute(name, "", value[:_LONGEST], len(value.encode("utf-8", "replace")))


def _output_types(text: str) -> tuple[OutputType, ...]:
    """``<Tensor[Float32], (2, 3)>``, of each output; the elements of a tuple one by one."""
    found: list[OutputType] = []
    for part in _split(text):
        inner = part[1:-1] if part.startswith("<") and part.endswith(">") else part
        kind, *more = _split(inner)
        if tuple_of := _TUPLE.fullmatch(kind):
            shapes = _TUPLE_SHAPE.fullmatch(", ".join(more))
            found += _elements(tuple_of[1], list(_split(shapes[1])) if shapes else [])
        elif kind not in ("null", "Func"):
            found.append(_output_type(kind, next(iter(more), "")))
    return tuple(found)


def _elements(kinds: str, shapes: list[str]) -> Iterator[OutputType]:
    """Of a tuple: ``Tensor[Float32]*2, Bool`` and the shape of each."""
    expanded: list[str] = []
    for kind in _split(kinds):
        repeated = re.fullmatch(r"(.*)\*(\d{1,4})", kind)
        expanded += [repeated[1]] * int(repeated[2]) if repeated else [kind]
    for place, kind in enumerate(expanded[:_MOST_OUTPUTS]):
        yield _output_type(kind, shapes[place] if place < len(shapes) else "")


def _output_type(kind: str, shape: str) -> OutputType:
    tensor = _TENSOR.match(kind)
    if tensor is None:
        return OutputType(kind.lower(), () if _NUMBER.fullmatch(kind) else None)
    if tensor["short"]:
        return OutputType(_type_name(tensor["short"]), _shape(tensor["sizes"]))
    sizes = _SHAPE.fullmatch(shape)
    return OutputType(_type_name(tensor["type"]), _shape(sizes["sizes"] if sizes else None))


def _constant_types(text: str) -> tuple[OutputType, ...]:
    found = re.match(r"Tensor\(shape=\[(?P<sizes>[^\]]*)\], dtype=(?P<type>\w+)", text)
    return (OutputType(_type_name(found["type"]), _shape(found["sizes"])),) if found else ()


def _type_name(name: str) -> str:
    """``Float32`` and ``F32`` as ``float32``."""
    short = re.fullmatch(r"(BF|F|I|U)(\d+)", name)
    return f"{_SHORT[short[1]]}{short[2]}" if short else name.lower()


def _shape(sizes: str | None) -> Shape:
    if sizes is None:
        return None
    numbers = [one.strip() for one in sizes.split(",") if one.strip()]
    try:
        return tuple(max(int(one), -1) for one in numbers)
    except ValueError:
        return None
