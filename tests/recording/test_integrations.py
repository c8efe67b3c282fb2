"""What the loggers and callbacks of other libraries record: of the real library where it is installed."""

from __future__ import annotations

import datetime
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from insight_record.optuna import OptunaCallback
from insight_record.sklearn import record_search
from tests.recording.accumulated import accumulated


def columns(run: dict[str, Any]) -> dict[str, Any]:
    """The hyperparameters of a run."""
    content, *_ = run["described"]["_hparams_/session_start_info"]
    return {name: value.ListFields()[0][1] for name, value in content.session_start_info.hparams.items()}


def test_every_candidate_of_a_search_is_a_run(tmp_path: Path) -> None:
    results = {
        "params": [{"svc__C": 1.0, "svc__kernel": "rbf"}, {"svc__C": 10, "svc__kernel": None}],
        "param_svc__C": np.ma.array([1.0, 10.0]),
        "mean_test_score": np.array([0.5, 0.75]),
        "rank_test_score": np.array([2, 1], np.int32),
        "split0_test_score": np.array([0.25, 0.5]),
        "split1_test_score": np.array([0.75, 1.0]),
    }
    places = record_search(tmp_path, types.SimpleNamespace(cv_results_=results, estimator=object()))
    assert [place.name for place in places] == ["candidate_0000", "candidate_0001"]
    read = accumulated(tmp_path)
    assert columns(read["candidate_0000"]) == {"estimator": "object", "svc/C": 1.0, "svc/kernel": "rbf"}
    assert columns(read["candidate_0001"]) == {"estimator": "object", "svc/C": 10.0}
    assert read["candidate_0001"]["scalars"] == {
        "mean_test_score": [(0, 0.75)],
        "mean_test_score_stderr": [(0, 0.25)],
        "rank_test_score": [(0, 1)],
        "split_test_score": [(0, 0.5), (1, 1.0)],
    }
    with pytest.raises(ValueError, match="not fitted"):
        record_search(tmp_path, types.SimpleNamespace())


def test_a_search_of_scikit_learn(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(DummyClassifier(), {"strategy": ["uniform", "prior"]}, cv=2)
    search.fit(np.zeros((8, 1)), np.array([0, 1, 1, 1] * 2))
    record_search(tmp_path, search)
    read = accumulated(tmp_path)
    assert columns(read["candidate_0001"]) == {"estimator": "DummyClassifier", "strategy": "prior"}
    [(_, score)] = read["candidate_0001"]["scalars"]["mean_test_score"]
    assert score == pytest.approx(search.cv_results_["mean_test_score"][1])


def test_a_trial_is_a_run(tmp_path: Path) -> None:
    began = datetime.datetime(2026, 1, 1)
    trial = types.SimpleNamespace(
        number=3,
        params={"lr": 0.5, "optimizer": "adam"},
        user_attrs={"seed": 1},
        values=[0.25, 4.0],
        state=types.SimpleNamespace(name="COMPLETE"),
        intermediate_values={2: 0.5, 1: 1.0},
        datetime_start=began,
        datetime_complete=None,
    )
    study = types.SimpleNamespace(study_name="mine", metric_names=["loss", "size"])
    OptunaCallback(tmp_path)(study, trial)
    run = accumulated(tmp_path)["trial_0003"]
    assert columns(run) == {
        "lr": 0.5,
        "optimizer": "adam",
        "state": "COMPLETE",
        "study": "mine",
        "user_attrs/seed": 1,
    }
    expected = {"intermediate_value": [(1, 1), (2, 0.5)], "loss": [(2, 0.25)], "size": [(2, 4)]}
    assert run["scalars"] == expected


@pytest.mark.frameworks
def test_a_study_of_optuna(tmp_path: Path) -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:  # noqa: ANN401
        rate = trial.suggest_float("rate", 0, 1)
        trial.report(rate, 1)
        if trial.number == 1:
            raise optuna.TrialPruned
        return float(rate)

    study = optuna.create_study(study_name="mine")
    study.optimize(objective, n_trials=3, callbacks=[OptunaCallback(tmp_path)])
    read = accumulated(tmp_path)
    assert [columns(run)["state"] for run in read.values()] == ["COMPLETE", "PRUNED", "COMPLETE"]
    [(_, value)] = read["trial_0002"]["scalars"]["value"]
    assert value == pytest.approx(study.trials[2].value)
    assert columns(read["trial_0002"])["direction/value"] == "minimize"


@pytest.mark.frameworks
@pytest.mark.filterwarnings("ignore")  # of Lightning's own
def test_a_fit_of_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    import torch  # type: ignore[import-not-found,unused-ignore]

    from insight_record.lightning import InsightLogger

    class Model(lightning.LightningModule):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self, rate: float) -> None:
            super().__init__()
            self.save_hyperparameters()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch: Any, index: int) -> Any:  # noqa: ANN401
            loss = self.layer(batch).square().mean()
            self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> Any:  # noqa: ANN401
            return torch.optim.SGD(self.parameters(), self.hparams["rate"])

    loader = torch.utils.data.DataLoader(torch.ones(8, 2), batch_size=2)
    for _ in range(2):
        trainer = lightning.Trainer(
            max_epochs=2,
            logger=InsightLogger(tmp_path, "runs"),
            log_every_n_steps=1,
            enable_progress_bar=False,
            enable_model_summary=False,
            enable_checkpointing=False,
            accelerator="cpu",
        )
        trainer.fit(Model(0.25), loader)
    read = accumulated(tmp_path / "runs")
    assert read.keys() == {"version_0", "version_1"}
    run = read["version_1"]
    assert columns(run) == {"rate": 0.25}
    assert [step for step, _ in run["scalars"]["loss"]] == list(range(8))
    assert run["scalars"]["loss"][-1][1] < run["scalars"]["loss"][0][1]


@pytest.mark.frameworks
@pytest.mark.filterwarnings("ignore")  # of the trainer's own
def test_a_trainer_of_hugging_face(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    import torch

    from insight_record.huggingface import InsightCallback

    class Model(transformers.PreTrainedModel):  # type: ignore[misc,name-defined,unused-ignore]
        config_class = transformers.PretrainedConfig

        def __init__(self, config: Any) -> None:  # noqa: ANN401
            super().__init__(config)
            self.layer = torch.nn.Linear(2, 1)
            self.post_init()

        def forward(self, x: Any, labels: Any = None) -> dict[str, Any]:  # noqa: ANN401
            found = self.layer(x)
            return {"loss": (found - labels).square().mean(), "logits": found}

    data = [{"x": torch.ones(2), "labels": torch.ones(1)}] * 8
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path / "out"),
        max_steps=4,
        logging_steps=1,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
        save_strategy="no",
    )
    trainer = transformers.Trainer(
        Model(transformers.PretrainedConfig(num_labels=1)),
        arguments,
        train_dataset=data,
        eval_dataset=data,
        callbacks=[InsightCallback(tmp_path / "runs/first")],
    )
    trainer.train()
    trainer.evaluate()
    run = accumulated(tmp_path / "runs")["first"]
    assert [step for step, _ in run["scalars"]["train/loss"]] == [1, 2, 3, 4]
    assert [step for step, _ in run["scalars"]["eval/loss"]] == [4]
    found = columns(run)
    assert (found["trainer/max_steps"], found["model/class"]) == (4, "Model")
