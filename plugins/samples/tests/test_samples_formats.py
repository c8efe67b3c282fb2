"""What files of other libraries hold: the same rows as pandas reads, in the run that they belong to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import insight_samples
import pandas as pd
import pytest
from insight_samples.all_formats import format_of
from insight_samples.sample import sample_of

from insight_core.plugin.testing import EventWriter, host_of
from tests.support.sample_hosts import samples_of, sources, write_lines

FIXTURES = Path(__file__).parent / "fixtures"


def test_completions_of_trl_are_those_that_pandas_reads() -> None:
    with samples_of(FIXTURES / "trl") as of:
        assert of.overview()["steps"] == [1, 6]
        lines = {line["id"]: line for line in of.lines(step=6)}
        table = pd.read_parquet(FIXTURES / "trl/completions/completions_00006.parquet")
        assert len(lines) == len(table) == 4
        for number, row in enumerate(table.to_dict("records")):
            line = lines[f"6:{number}"]
            assert line["scores"] == {"vowels": row["vowels"], "short": row["short"]}
            assert line["advantage"] == row["advantage"]
            sample = of.sample(line)
            assert [part["text"] for part in sample["completion"][0]["parts"]] == [
                row["completion"][0]["content"]
            ]
            assert sample["prompt"][0]["parts"][0]["text"] == row["prompt"][0]["content"]


def test_samples_of_lm_eval_have_the_step_of_their_checkpoint_and_flip_between_two() -> None:
    with samples_of(FIXTURES / "lm_eval", "sums") as of:
        assert of.overview()["steps"] == [500, 1000]
        [file] = (FIXTURES / "lm_eval" / "__runs__exp__checkpoint-500").glob("samples_sums_*")
        table = pd.read_json(file, lines=True)
        lines = sorted(of.lines(step=500, sort="file"), key=lambda line: int(line["id"].split(":")[1]))
        assert [line["scores"]["exact_match"] for line in lines] == table["exact_match"].tolist()
        assert [of.sample(line)["reference"] for line in lines] == table["target"].astype(str).tolist()
        changes = of.ask("compare", first=500, second=1000)
        assert (changes["shared"], changes["rose"], changes["fell"], changes["flips"]) == (8, 3, 0, [3, 0])


def test_scores_of_evaluations_are_series_with_their_errors(tmp_path: Path) -> None:
    for name in ("lm_eval", "inspect"):
        shutil.copytree(FIXTURES / name, tmp_path / "run" / name)
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 500, 1.0)
    with host_of(insight_samples, logdir=tmp_path, built_ins=["scalar"]) as host:
        data = host.context("scalar").data
        keys = [info.key for info in data.series("scalar")]
        points = {
            key.tag: dict(zip(columns.steps.tolist(), columns.values.tolist(), strict=True))
            for key, columns in data.scalars("scalar", keys).items()
        }
        assert {key.run for key in keys} == {"run"}
        assert host.damage() == []
    for step in (500, 1000):
        [file] = (FIXTURES / "lm_eval" / f"__runs__exp__checkpoint-{step}").glob("results_*")
        said = json.loads(file.read_text())["results"]["sums"]
        assert points["eval/sums/exact_match"][step] == said["exact_match,none"]
        assert points["eval/sums/exact_match_stderr"][step] == said["exact_match_stderr,none"]
    assert points["eval/sums/match/accuracy"] == {100: 0.375, 200: 0.75}  # as read_eval_log of Inspect says
    assert points["eval/sums/match/accuracy_stderr"][100] == pytest.approx(0.18298126367784995)


def test_logs_of_inspect_have_messages_scores_and_tokens(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "inspect", tmp_path / "run")
    with EventWriter(tmp_path / "run") as writer:
        writer.scalar("loss", 1, 1.0)
    with samples_of(tmp_path, "sums") as of:
        assert of.overview()["steps"] == [100, 200]
        lines = of.lines(step=200)
        assert sum(line["scores"]["match"] for line in lines) == 6
        sample = of.sample(next(line for line in lines if line["asked"] == "What is 3+3?"))
        assert [(part["kind"], part["text"]) for part in sample["completion"][0]["parts"]] == [
            ("reasoning", "hm 3"),
            ("text", "6"),
        ]
        assert (sample["reference"], sample["tokens"]) == ("6", 3)


CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"function": {"name": "add", "arguments": '{"a": 1}'}}],
}
ROWS: list[tuple[str, str, Any, dict[str, Any]]] = [
    (
        "verl",
        "rollout/7.jsonl",
        {
            "input": "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
            "output": "<think>a</think>b",
            "gts": "c",
            "score": 1,
            "step": 7,
            "acc": True,
        },
        {
            "said": ["a", "b"],
            "asked": ["hi"],
            "scores": {"score": 1.0, "acc": 1.0},
            "reference": "c",
            "step": 7,
        },
    ),
    (
        "NeMo-RL",
        "train_data_step12.jsonl",
        {"content": ["user says, model answers"], "rewards": [0.5], "input_lengths": [9], "idx": 3},
        {"said": ["user says, model answers"], "scores": {"rewards": 0.5}},
    ),
    (
        "TorchTitan",
        "rollout_samples.jsonl",
        {
            "step": 3,
            "group_id": "g1",
            "reward": 0.25,
            "reward_components": {"form": 1.0},
            "turns": [
                {
                    "messages": [{"role": "user", "content": "q"}, CALL],
                    "response_token_count": 5,
                    "finish_reason": "stop",
                },
                {
                    "messages": [{"role": "tool", "content": "1"}, {"role": "assistant", "content": "z"}],
                    "response_token_count": 2,
                    "finish_reason": "length",
                },
            ],
        },
        {
            "said": ['{"a": 1}', "1", "z"],
            "asked": ["q"],
            "scores": {"reward": 0.25, "form": 1.0},
            "length": 7.0,
            "step": 3,
            "cut": True,
        },
    ),
    (
        "open-instruct",
        "exp_rollouts_000001.jsonl",
        {
            "step": 9,
            "prompt_idx": 1,
            "prompt_tokens": [1, 2],
            "response_tokens": [5, 6, 7],
            "reward": 2.0,
            "advantage": -0.5,
            "finish_reason": "stop",
        },
        {
            "said": ["tokens: 5 6 7"],
            "scores": {"reward": 2.0},
            "advantage": -0.5,
            "length": 3.0,
            "step": 9,
            "cut": False,
        },
    ),
    (
        "Tinker",
        "iteration_000004/train_rollout_summaries.jsonl",
        {
            "iteration": 4,
            "split": "train",
            "group_idx": 0,
            "traj_idx": 1,
            "total_reward": 1.5,
            "final_reward": 1.0,
            "steps": [{"ac_len": 10, "logs": {"answer": "x"}}, {"ac_len": 3, "stop_reason": "length"}],
        },
        {
            "said": ["answer: x"],
            "scores": {"total_reward": 1.5, "final_reward": 1.0},
            "length": 13.0,
            "step": 4,
            "cut": True,
        },
    ),
    (
        "OpenAI batch",
        "batch_output.jsonl",
        {
            "custom_id": "r1",
            "response": {
                "body": {
                    "choices": [
                        {"message": {"role": "assistant", "content": "ok"}, "finish_reason": "length"}
                    ],
                    "usage": {"completion_tokens": 4},
                }
            },
        },
        {"said": ["ok"], "asked": ["r1"], "length": 4.0, "cut": True},
    ),
    (
        "lines",
        "samples.jsonl",
        {
            "messages": [
                {"role": "system", "content": "s"},
                {"role": "user", "content": [{"type": "text", "text": "u"}]},
                {"role": "assistant", "content": "a"},
            ],
            "reward": 1,
        },
        {"said": ["a"], "asked": ["s", "u"], "scores": {"reward": 1.0}},
    ),
]


@pytest.mark.parametrize(("name", "path", "row", "wanted"), ROWS, ids=[one[0] for one in ROWS])
def test_a_row_of_each_format_says_the_same(name: str, path: str, row: Any, wanted: dict[str, Any]) -> None:  # noqa: ANN401
    of = format_of(path, row)
    assert of is not None
    assert of.name == name
    sample = sample_of(row, of)
    prompt, completion = sample.messages()
    found: dict[str, Any] = {
        "said": [part.text for message in completion for part in message.parts],
        "asked": [part.text for message in prompt for part in message.parts],
        "scores": dict(sample.scores),
        "advantage": sample.advantage,
        "length": sample.length,
        "reference": sample.reference,
        "step": sample.step,
        "cut": sample.is_truncated,
    }
    assert {key: found[key] for key in wanted} == wanted


def test_files_belong_to_the_run_around_them_and_make_one_only_without(tmp_path: Path) -> None:
    row = [{"input": "a", "output": "b", "score": 1.0}]
    write_lines(tmp_path / "alone" / "rollout" / "1.jsonl", row)
    write_lines(tmp_path / "alone" / "validation" / "1.jsonl", row)
    write_lines(tmp_path / "trained" / "dumps" / "deep" / "rollout" / "1.jsonl", row)
    write_lines(tmp_path / "data" / "2.jsonl", [{"op_code": 1, "output": 2}])  # of another program
    with EventWriter(tmp_path / "trained") as writer:
        writer.scalar("loss", 1, 1.0)
    with host_of(insight_samples, logdir=tmp_path, built_ins=["scalar"]) as host:
        assert sorted(sources(host)) == [
            ("alone", "rollout/*.jsonl"),
            ("alone", "validation/*.jsonl"),
            ("trained", "dumps/deep/rollout/*.jsonl"),
        ]
        assert sorted(run.name for run in host.context("samples").data.runs()) == ["alone", "trained"]


def test_a_directory_of_steps_itself_may_be_the_logdir(tmp_path: Path) -> None:
    write_lines(tmp_path / "3.jsonl", [{"input": "a", "output": "b", "score": 1.0}])
    with samples_of(tmp_path) as of:
        assert of.overview()["steps"] == [3]


def test_numbers_that_json_cannot_say_and_odd_values_are_no_scores(tmp_path: Path) -> None:
    rows = [
        '{"input": "a", "output": "b", "score": NaN}',
        '{"input": "a", "output": "b", "score": "high", "note": {"x": 1}}',
        '{"input": "a", "output": null, "score": Infinity}',
    ]
    (tmp_path / "1.jsonl").write_text("\n".join(rows))
    with samples_of(tmp_path) as of:
        scores = [line["scores"]["score"] for line in of.lines(step=1, sort="file")]
    assert scores == [None, None, "Infinity"]
