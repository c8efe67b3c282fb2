"""``/histograms`` and ``/comparison``: what every plugin with histograms answers alike."""

from __future__ import annotations

from insight_core.histogram_routes import HistogramAt, comparison_route, histograms_route

__all__ = ["HistogramAt", "comparison_route", "histograms_route"]
