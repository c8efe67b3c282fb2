/* Holes of sparse files: zeros that nothing is stored for (lseek(2), SEEK_DATA). */

#ifndef INSIGHT_HOLES_H
#define INSIGHT_HOLES_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* The first offset from `offset` on that is in no hole; `size` where only a hole follows. */
static inline int64_t next_data(int descriptor, int64_t offset, int64_t size) {
#ifdef SEEK_DATA
  off_t found = lseek(descriptor, (off_t)offset, SEEK_DATA);
  if (found < 0) return errno == ENXIO ? size : offset;
  return found < size ? (int64_t)found : size;
#else
  return offset;
#endif
}

#endif
