/* Which file a descriptor reads, and when it was written last. */

#ifndef INSIGHT_FILE_VERSION_H
#define INSIGHT_FILE_VERSION_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __APPLE__
#define INSIGHT_TIME(info, which) ((info).st_##which##timespec)
#else
#define INSIGHT_TIME(info, which) ((info).st_##which##tim)
#endif

typedef struct { /* times in nanoseconds */
  int64_t device;
  uint64_t inode;
  int64_t size, mtime_ns, ctime_ns;
} FileVersion;

static int open_for_reading(const char *path) { /* -1 when that fails */
  int descriptor;
  do descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe has nobody wait */
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

static int read_version(int descriptor, FileVersion *version) { /* 0 when that fails, or it is no file */
  struct stat info;
  if (fstat(descriptor, &info) || !S_ISREG(info.st_mode)) return 0;
  memset(version, 0, sizeof *version); /* to be compared byte by byte */
  version->device = (int64_t)info.st_dev;
  version->inode = (uint64_t)info.st_ino;
  version->size = (int64_t)info.st_size;
  version->mtime_ns = INSIGHT_TIME(info, m).tv_sec * INT64_C(1000000000) + INSIGHT_TIME(info, m).tv_nsec;
  version->ctime_ns = INSIGHT_TIME(info, c).tv_sec * INT64_C(1000000000) + INSIGHT_TIME(info, c).tv_nsec;
  return 1;
}

#endif
