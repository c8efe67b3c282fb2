"""Waveform and spectrogram of samples, small enough to draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

COLUMNS = 600  # of a waveform and of a spectrogram, at most
WINDOW = 512  # samples of a column of a spectrogram
BANDS = WINDOW // 4  # of frequency, evenly from 0 Hz to half the sample rate
FLOOR = -90.0  # dB below full scale that are drawn as nothing


def envelope(samples: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Lowest and highest sample of each column. Shape (min(frames, COLUMNS),) each."""
    if len(samples) == 0:
        return samples, samples
    starts = np.linspace(0, len(samples), min(len(samples), COLUMNS), endpoint=False).astype(np.intp)
    return np.minimum.reduceat(samples, starts), np.maximum.reduceat(samples, starts)


def spectrogram(samples: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Loudness from FLOOR dB (0) to full scale (255). Shape (columns, BANDS), the lowest band first.

    Columns are Hann windows at even distances; short clips are padded with silence.
    """
    if len(samples) == 0:
        return np.empty((0, BANDS), np.uint8)
    padded = np.pad(samples, WINDOW // 2)
    count = min(COLUMNS, max(1, len(samples) // (WINDOW // 4)))
    centres = np.linspace(0, len(samples) - 1, count).astype(np.intp)
    window = np.hanning(WINDOW).astype(np.float32)
    rows = padded[centres[:, None] + np.arange(WINDOW)] * window
    sizes = np.abs(np.fft.rfft(rows, axis=1)[:, 1:]) * (2 / window.sum())
    bands = sizes.reshape(count, BANDS, 2).max(axis=2)
    decibels = 20 * np.log10(np.maximum(bands, 1e-9))
    loudness: NDArray[np.uint8] = (np.clip((decibels - FLOOR) / -FLOOR, 0, 1) * 255).astype(np.uint8)
    return loudness
