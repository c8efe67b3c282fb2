"""Makes messages of what a row holds as prompt and completion: roles, reasoning, calls, pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from attrs import evolve, frozen

from insight_samples.images import KINDS, SampleImage, image_of

Kind: TypeAlias = Literal["text", "reasoning", "call", "image", "other"]
_LONGEST = 1 << 20  # characters of a part
_MOST = 2000  # messages of a sample
_THINK = re.compile(r"<(think|thinking|reasoning)>(.*?)(?:</\1>|\Z)", re.S)
# Turns in a text that a chat template made: ChatML (Qwen and others), Llama 3, and without special tokens
_TEMPLATES = (
    re.compile(r"<\|im_start\|>(\w+)\n(.*?)(?:<\|im_end\|>\n?|\Z)", re.S),
    re.compile(r"<\|start_header_id\|>(\w+)<\|end_header_id\|>\n\n(.*?)(?:<\|eot_id\|>|\Z)", re.S),
    re.compile(
        r"(?:\A|(?<=\n))(system|user|assistant|tool)\n(.*?)(?=\n(?:system|user|assistant|tool)\n|\Z)", re.S
    ),
)


@frozen
class MessagePart:
    """A piece of a message. ``size`` is the number of characters of a text that is cut, else 0.

    One of the kind image has ``image``; None where a column of the row has it.
    """

    kind: Kind
    text: str
    name: str = ""
    size: int = 0
    image: SampleImage | None = None


@frozen
class SampleMessage:
    """What one role said."""

    role: str
    parts: Sequence[MessagePart]


def flat(value: Any) -> str:  # noqa: ANN401 - of JSON
    """All text of a prompt or a completion, as it is searched and measured."""
    if type(value) is str:
        return value
    if value is None or isinstance(value, bytes):
        return ""
    if isinstance(value, list | tuple):
        return "\n".join(filter(None, map(flat, value)))
    if isinstance(value, dict):
        texts = [
            flat(value[name])
            for name in ("reasoning_content", "reasoning", "content", "text", "value")
            if name in value
        ]
        texts += [json.dumps(call, ensure_ascii=False) for call in value.get("tool_calls") or ()]
        return "\n".join(filter(None, texts))
    return str(value)


def messages_of(value: Any, role: str) -> Sequence[SampleMessage]:  # noqa: ANN401 - of JSON
    """The messages of a prompt or completion; a text is one of ``role`` unless it has turns of a template."""
    if value is None:
        return ()
    if isinstance(value, str):
        return _of_text(value, role)
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, list | tuple):
        found: list[SampleMessage] = []
        for one in value[:_MOST]:
            if isinstance(one, dict) and ("role" in one or "from" in one):
                found.append(SampleMessage(str(one.get("role") or one.get("from")), tuple(_parts(one))))
            else:
                found += messages_of(one if isinstance(one, str | list) else _json(one), role)
        return found
    return [SampleMessage(role, (_part("text", str(value)),))]


def with_images(
    messages: Sequence[SampleMessage], images: Sequence[SampleImage], role: str
) -> Sequence[SampleMessage]:
    """The messages with the images of a column: in their places, else before the first text of ``role``."""
    if not images:
        return messages
    left = list(images)
    found: list[SampleMessage] = []
    for message in messages:
        parts = [
            evolve(part, image=left.pop(0)) if part.kind == "image" and part.image is None and left else part
            for part in message.parts
        ]
        found.append(evolve(message, parts=parts))
    more = [MessagePart("image", "", image=image) for image in left]
    if more:
        at = next((place for place, one in enumerate(found) if one.role == role), None)
        if at is None:
            return [SampleMessage(role, more), *found]
        found[at] = evolve(found[at], parts=[*more, *found[at].parts])
    return found


def divided(messages: Any) -> tuple[Any, Any]:  # noqa: ANN401 - of JSON
    """Messages as prompt and completion: from the first one of the model on."""
    if not isinstance(messages, list):
        return None, messages
    for place, one in enumerate(messages):
        said_by = one.get("role") or one.get("from") if isinstance(one, dict) else None
        if said_by in ("assistant", "gpt", "model", "bot"):
            return messages[:place], messages[place:]
    return messages, []


def _of_text(text: str, role: str) -> Sequence[SampleMessage]:
    for template in _TEMPLATES:
        turns = list(template.finditer(text))
        if turns and turns[0].start() == 0 and turns[-1].end() >= len(text.rstrip()):
            filled = [turn for turn in turns if turn[2].strip() or turn is not turns[-1]]
            return [SampleMessage(turn[1], tuple(_split(turn[2]))) for turn in filled]
    return [SampleMessage(role, tuple(_split(text)))]


def _parts(message: dict[str, Any]) -> Iterator[MessagePart]:
    for name in ("reasoning_content", "reasoning", "thinking"):
        if isinstance(message.get(name), str) and message[name]:
            yield _part("reasoning", message[name])
    content = message.get("content", message.get("value", message.get("text")))
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, str):
            yield from _split(one) if one else ()
        elif isinstance(one, dict):
            yield from _of_content(one)
        elif one is not None:
            yield _part("text", str(one))
    for call in message.get("tool_calls") or ():
        called = call.get("function", call) if isinstance(call, dict) else {}
        if isinstance(called, dict):
            arguments = called.get("arguments")
            shown = arguments if isinstance(arguments, str) else _json(arguments)
            yield _part("call", shown, str(called.get("name", "")))
        else:  # Inspect: {"function": name, "arguments": {...}}
            yield _part("call", _json(call.get("arguments")), str(called))


def _of_content(content: dict[str, Any]) -> Iterator[MessagePart]:
    kind = content.get("type")
    if isinstance(content.get("text"), str):
        yield from _split(content["text"])
    elif kind in ("reasoning", "thinking"):
        yield _part("reasoning", str(content.get("reasoning") or content.get("thinking") or ""))
    elif kind in KINDS:
        yield MessagePart("image", "", image=image_of(content))
    else:
        yield _part("other", _json(content), str(kind or ""))


def _split(text: str) -> Iterator[MessagePart]:
    """A text as what was thought and what was said."""
    if "<think" not in text and "<reasoning>" not in text:
        if "</think>" in text:  # the template began the thought
            thought, _, said = text.partition("</think>")
            yield _part("reasoning", thought)
            text = said.lstrip("\n")
        yield _part("text", text)
        return
    place = 0
    for found in _THINK.finditer(text):
        if text[place : found.start()].strip():
            yield _part("text", text[place : found.start()])
        yield _part("reasoning", found[2])
        place = found.end()
    if text[place:].strip():
        yield _part("text", text[place:].lstrip("\n"))


def _part(kind: Kind, text: str, name: str = "") -> MessagePart:
    return MessagePart(kind, text[:_LONGEST], name, len(text) if len(text) > _LONGEST else 0)


def _json(value: Any) -> str:  # noqa: ANN401 - of JSON
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)
