# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Replays a graph of nodes, each of which comes after those that it waits for."""

from libc.stdint cimport int64_t

import numpy as np


def node_times(before, lag, launch, latency, other, delay, duration):
    """int64[nodes] twice: when each begins and ends, ns from the start. It begins ``lag`` after the end of
    ``before`` (the start, where that is -1), ``latency`` after the beginning of ``launch`` and ``delay`` after
    the end of ``other``, whichever is the last."""
    begins, ends = np.empty(len(before), np.int64), np.empty(len(before), np.int64)
    cdef const int64_t[::1] befores = np.ascontiguousarray(before, np.int64)
    cdef const int64_t[::1] lags = np.ascontiguousarray(lag, np.int64)
    cdef const int64_t[::1] launches = np.ascontiguousarray(launch, np.int64)
    cdef const int64_t[::1] latencies = np.ascontiguousarray(latency, np.int64)
    cdef const int64_t[::1] others = np.ascontiguousarray(other, np.int64)
    cdef const int64_t[::1] delays = np.ascontiguousarray(delay, np.int64)
    cdef const int64_t[::1] durations = np.ascontiguousarray(duration, np.int64)
    cdef int64_t[::1] begin = begins, end = ends
    cdef Py_ssize_t node
    cdef int64_t at
    with nogil:
        for node in range(befores.shape[0]):
            at = lags[node]
            if befores[node] >= 0:
                at += end[befores[node]]
            if launches[node] >= 0 and begin[launches[node]] + latencies[node] > at:
                at = begin[launches[node]] + latencies[node]
            if others[node] >= 0 and end[others[node]] + delays[node] > at:
                at = end[others[node]] + delays[node]
            begin[node] = at
            end[node] = at + durations[node]
    return begins, ends
