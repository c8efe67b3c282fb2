# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Walks from slices to those around them: rows in any order of int32 parents, -1 for none, without circles."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np


def nearest_marked(marked, parent):
    """int32[slices]: of each the innermost one around it, itself not counted, that is marked; or -1."""
    found = np.empty(len(parent), np.int32)
    cdef const uint8_t[::1] is_marked = np.ascontiguousarray(marked, np.bool_).view(np.uint8)
    cdef const int32_t[::1] above = np.ascontiguousarray(parent, np.int32)
    cdef int32_t[::1] result = found
    cdef Py_ssize_t row, count = above.shape[0]
    cdef int32_t at
    with nogil:
        for row in range(count):
            at = above[row]
            while at >= 0 and not is_marked[at]:
                if at < row:  # mostly: what is around comes before
                    at = result[at]
                    break
                at = above[at]
            result[row] = at
    return found


def summed_upwards(values, parent):
    """int64[slices]: the values of each and of all that lie in it, however deep."""
    total = np.array(values, np.int64)
    cdef const int32_t[::1] above = np.ascontiguousarray(parent, np.int32)
    cdef int64_t[::1] sums = total
    cdef Py_ssize_t row
    cdef int32_t at
    with nogil:
        for row in range(above.shape[0] - 1, -1, -1):
            if sums[row] == 0:
                continue
            at = above[row]
            while at >= 0:
                sums[at] += sums[row]
                if at < row:  # that one is added to what is around it later
                    break
                at = above[at]
    return total


def holds_marked(marked, parent):
    """bool[slices]: whether each is marked, or one that lies in it, however deep."""
    found = np.array(marked, np.bool_)
    cdef const int32_t[::1] above = np.ascontiguousarray(parent, np.int32)
    cdef uint8_t[::1] result = found.view(np.uint8)
    cdef Py_ssize_t row
    cdef int32_t at
    with nogil:
        for row in range(above.shape[0] - 1, -1, -1):
            if not result[row]:
                continue
            at = above[row]
            while at >= 0 and not result[at]:
                result[at] = 1
                if at < row:  # what is around that one is marked later
                    break
                at = above[at]
    return found
