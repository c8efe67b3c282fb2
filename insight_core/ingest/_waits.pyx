# cython: language_level=3
"""What ``insight_core.ingest.listing`` cannot measure: waits of system calls alone, without the interpreter's."""

from libc.stdlib cimport free, malloc

cdef extern from *:
    """
    #include <dirent.h>
    #include <sys/resource.h>

    #ifndef RUSAGE_THREAD /* not on every system */
    #define RUSAGE_THREAD RUSAGE_SELF
    #endif

    static long voluntary_waits(void) {
      struct rusage usage;
      return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nvcsw;
    }

    static void list_directory(const char *path) {
      DIR *opened = opendir(path);
      if (opened == NULL) return;
      while (readdir(opened) != NULL) continue;
      closedir(opened);
    }
    """
    long voluntary_waits() nogil
    void list_directory(const char *path) nogil


def waits_of_listing(list paths):
    """How often the thread waits for the disk or network while it lists the directories at these paths."""
    cdef Py_ssize_t count = len(paths), index
    cdef long before, after
    cdef const char **names = <const char **>malloc((count + 1) * sizeof(char *))
    if names == NULL:
        raise MemoryError
    for index in range(count):
        names[index] = <bytes>paths[index]
    with nogil:
        before = voluntary_waits()
        for index in range(count):
            list_directory(names[index])
        after = voluntary_waits()
    free(names)
    return after - before
