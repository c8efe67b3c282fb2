"""The formats of training and evaluation libraries that write samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from insight_samples.formats import Row, SampleFormat


def _of_turns(row: Row) -> Row:
    """TorchTitan: messages by turn, of which each begins with those before or has only its own."""
    messages: list[Any] = []
    length, finish = 0, None
    for turn in row.get("turns") or ():
        if not isinstance(turn, dict):
            continue
        own = turn.get("messages")
        if own is None:
            own = [*(turn.get("prompt_messages") or ()), *_listed(turn.get("completion_message"))]
        is_whole = len(own) > len(messages) and own[: len(messages)] == messages
        messages = list(own) if is_whole else messages + list(own)
        length += turn.get("response_token_count") or 0
        finish = turn.get("finish_reason", finish)
    rest = {name: value for name, value in row.items() if name != "turns"}
    if rest.get("phase") == "validation":
        rest["source"] = "validation"
    return {**rest, "messages": messages, "length": length or None, "finish_reason": finish}


def _listed(value: Any) -> Sequence[Any]:  # noqa: ANN401 - of JSON
    return [] if value is None else value if isinstance(value, list) else [value]


def _of_tokens(row: Row) -> Row:
    """open-instruct: identifiers of tokens, without texts."""
    prompt, response = row.get("prompt_tokens") or [], row.get("response_tokens") or []
    rest = {name: value for name, value in row.items() if name not in ("prompt_tokens", "response_tokens")}
    return {
        **rest,
        "prompt": f"{_TOKENS}{' '.join(map(str, prompt))}",
        "completion": f"{_TOKENS}{' '.join(map(str, response))}" if response else "",
        "length": len(response),
        "prompt_length": len(prompt),
    }


_TOKENS = "tokens: "


def _of_summary(row: Row) -> Row:
    """Tinker's summaries of rollouts, which have lengths and rewards by turn and no texts."""
    steps = [step for step in row.get("steps") or () if isinstance(step, dict)]
    rest = {name: value for name, value in row.items() if name != "steps"}
    group = f"{row.get('split', '')} {row.get('iteration', '')} {row.get('group_idx', '')}"
    said = [
        {
            "role": "assistant",
            "content": "\n".join(f"{key}: {value}" for key, value in (step.get("logs") or {}).items()),
        }
        for step in steps
    ]
    return {
        **rest,
        "group": group,
        "prompt": group,
        "completion": said,
        "length": sum(step.get("ac_len") or 0 for step in steps),
        "stop_reason": steps[-1].get("stop_reason") if steps else None,
        "turns": len(steps),
    }


def _of_task(row: Row) -> Row:
    """lm-evaluation-harness: the request as it was sent, the answer, and a number for each metric."""
    prompt: Any = row.get("arguments")
    if isinstance(prompt, dict):  # gen_args_0: {arg_0: the prompt, arg_1: how to generate}
        first = next(iter(prompt.values()), None)
        prompt = first.get("arg_0") if isinstance(first, dict) else first
    while isinstance(prompt, list) and prompt and not isinstance(prompt[0], dict):
        prompt = prompt[0]
    answers: Any = row.get("filtered_resps", row.get("resps"))
    while isinstance(answers, list) and len(answers) == 1:
        answers = answers[0]
    choices = isinstance(answers, list) and answers and isinstance(answers[0], list)
    return {
        "prompt": prompt if prompt is not None else row.get("doc"),
        "completion": answers if isinstance(answers, str) else "" if answers is None else str(answers),
        "reference": row.get("target"),
        "group": row.get("doc_id"),
        "choices": answers if choices else None,
        **{name: row[name] for name in row.get("metrics") or () if name in row},
        **(
            {} if row.get("metrics") else {name: value for name, value in row.items() if name not in _OF_TASK}
        ),
    }


_OF_TASK = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}


def _of_batch(row: Row) -> Row:
    """OpenAI's batches: the message that was answered, by the identifier of the request."""
    body = (row.get("response") or {}).get("body") or {}
    choices = body.get("choices") or [{}]
    usage = body.get("usage") or {}
    return {
        "prompt": str(row.get("custom_id", "")),
        "completion": [choices[0].get("message") or {"role": "assistant", "content": ""}],
        "finish_reason": choices[0].get("finish_reason"),
        "completion_tokens": usage.get("completion_tokens"),
    }


def _of_inspect(row: Row) -> Row:
    """A sample of an Inspect log: messages, scores by scorer, tokens by model. Long texts and images are
    attachments, of which the messages have the names."""
    if isinstance(attached := row.get("attachments"), dict) and attached:
        row = {**row, **{name: _whole(row.get(name), attached) for name in ("messages", "input", "target")}}
    usage: Mapping[str, Any] = next(iter((row.get("model_usage") or {}).values()), {})
    choices = (row.get("output") or {}).get("choices") or [{}]
    return {
        "messages": row.get("messages") or [],
        "prompt": None if row.get("messages") else row.get("input"),
        "completion": None if row.get("messages") else (choices[0].get("message") or {}).get("content"),
        "reference": row.get("target"),
        "scores": row.get("scores") or {},
        "group": row.get("id"),
        "sample_epoch": row.get("epoch"),
        "finish_reason": choices[0].get("stop_reason"),
        "output_tokens": usage.get("output_tokens"),
        "error": (row.get("error") or {}).get("message"),
    }


def _whole(value: Any, attached: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of JSON
    """A value with the attachments that it names."""
    if isinstance(value, str):
        return attached.get(value.removeprefix(_ATTACHED), value) if value.startswith(_ATTACHED) else value
    if isinstance(value, list):
        return [_whole(one, attached) for one in value]
    return {key: _whole(one, attached) for key, one in value.items()} if isinstance(value, dict) else value


_ATTACHED = "attachment://"
OF_CHECKPOINT = r"(?:checkpoint|ckpt|step|iter|global_step)[-_]?(\d+)"
KNOWN: Sequence[SampleFormat] = (
    SampleFormat("TRL", ["completions/completions_*.parquet", "completions_*.parquet"], layout="parquet"),
    SampleFormat(
        "Inspect",
        ["*.eval"],
        layout="eval",
        convert=_of_inspect,
        steps=OF_CHECKPOINT,
        source=r"_([^/]+)_[^_/]+\.eval$",
    ),
    SampleFormat(
        "lm-evaluation-harness",
        ["samples_*.jsonl"],
        needs=["doc_id", "arguments"],
        convert=_of_task,
        steps=OF_CHECKPOINT,
        source=r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl$",
    ),
    SampleFormat(
        "NeMo-RL",
        ["train_data_step*.jsonl", "val_data_step*.jsonl"],
        needs=["content"],
        columns={"completion": "content"},
        scores=["rewards"],
    ),
    SampleFormat("TorchTitan", ["rollout_samples*.jsonl"], needs=["turns"], convert=_of_turns),
    SampleFormat(
        "Tinker",
        ["iteration_*/*_rollout_summaries.jsonl"],
        needs=["traj_idx"],
        convert=_of_summary,
        scores=["total_reward", "final_reward"],
        steps=r"iteration_(\d+)",
    ),
    SampleFormat(
        "open-instruct", ["*_rollouts_*.jsonl"], needs=["response_tokens"], convert=_of_tokens, steps=""
    ),
    SampleFormat(
        "OpenAI batch",
        ["*batch*.jsonl", "*output*.jsonl"],
        needs=["custom_id", "response"],
        convert=_of_batch,
    ),
    # verl, Relax, TRL-like trainers and insight_record: rows with the usual names
    SampleFormat("verl", ["[0-9]*.jsonl"], needs=["input", "output"]),
    SampleFormat(
        "lines",
        [
            *(
                "[0-9]*.jsonl",
                "*samples*.jsonl",
                "*rollout*.jsonl",
                "*completion*.jsonl",
                "*generation*.jsonl",
            ),
            *("*trajector*.jsonl", "*conversation*.jsonl", "*messages*.jsonl", "*traces*.jsonl"),
        ],
        steps=r"(?:^|/|(?:step|iteration|iter)[-_]?)(\d+)(?=\.jsonl$)",
    ),
)
