"""Shares of the variance of a target, from what a forest says of rows that it was not grown from."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from insight_lineage.importance.forest import Floats
from insight_lineage.importance.reading import ForestReading

_SURE = 1.96  # standard errors: 95 % of a normal distribution, on both sides
# Trees share rows: 1 - 1/e of all are in one (Nadeau, Bengio, Inference for the generalization error, 2003).
_SHARED = float(np.sqrt(1 / (1 - np.exp(-1))))


@frozen
class Share:
    """A share of the variance of the target, its standard error over the rows, and an interval of 95 %."""

    share: float
    error: float
    low: float
    high: float

    @classmethod
    def of(cls, share: float, error: float, *, spread: float = 0.0, missed: float = 0.0) -> Share:
        """With ``spread``, a standard deviation that was measured in another way, the larger one counts.

        ``missed`` is how much the share is too small on average: it is added to the upper end.
        """
        half = _SURE * max(error, spread)
        return cls(share, error, share - half, share + half + max(0.0, missed))


@frozen(eq=False)
class Shares:
    """The ``target`` of the rows that a forest is read at, as deviations from its mean.

    ``frequencies`` float64[parameter, code] are those of all rows.
    """

    target: Floats
    frequencies: Floats

    def explained(self, reading: ForestReading) -> Share:
        """The share that is predicted."""
        return self.gain(reading, self.target, reading.predicted)

    def gain(self, reading: ForestReading, rest: Floats, predicted: Floats) -> Share:
        """How much smaller the squares of what is left are with a prediction of it."""
        gains = (rest**2 - (rest - predicted) ** 2)[reading.counts > 0]
        error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
        variance = self._variance(reading)
        return Share.of(float(gains.mean() / variance), float(error / variance))

    def total(self, reading: ForestReading, parameter: int) -> Share:
        """Half of what the squares grow by when other rows give the value of the parameter.

        That is a mean over pairs of rows. What a row adds to it as the first and as the second of a pair, and
        to the variance, gives the standard error (Hoeffding, A class of statistics with asymptotically normal
        distribution, Annals of Mathematical Statistics 19, 1948).
        """
        read = reading.counts > 0
        target, codes = self.target[read], reading.codes[read, parameter]
        squares = (target[:, None] - reading.moved[parameter, read]) ** 2
        first = (squares @ self.frequencies[parameter] - (target - reading.predicted[read]) ** 2) / 2
        second = squares.mean(axis=0)[codes] / 2
        variance = self._variance(reading)
        share = float(first.mean() / variance)
        if len(first) < 2:
            return Share.of(share, np.inf)
        error = (first + second - share * target**2).std(ddof=1) / np.sqrt(len(first)) / variance
        return Share.of(share, _SHARED * float(error))

    def _variance(self, reading: ForestReading) -> float:
        return float(self.target[reading.counts > 0].var())
