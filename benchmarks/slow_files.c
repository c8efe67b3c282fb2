/* Preloaded into a program: calls for files below SLOW_FILES_BELOW take SLOW_FILES_MICROSECONDS longer, as on a
   network file system, and are counted. There is no inotify. See slow_files.py. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPEN, STAT, READ, LIST, KINDS };   /* of slow_files.py */
enum { DESCRIPTORS = 1 << 16, BATCH = 800 }; /* entries that one getdents64 of the C library returns, about */

static const char *below;
static size_t below_size;
static struct timespec delay;
static _Atomic uint64_t own_counts[KINDS], *counts = own_counts;
static _Atomic uint8_t is_slow[DESCRIPTORS];
static _Atomic uint32_t listed[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SLOW_FILES_COUNTS"), *text = getenv("SLOW_FILES_MICROSECONDS");
  long microseconds = text ? atol(text) : 0;
  below = getenv("SLOW_FILES_BELOW");
  below_size = below ? strlen(below) : 0;
  delay.tv_sec = microseconds / 1000000;
  delay.tv_nsec = microseconds % 1000000 * 1000;
  if (!path) return;
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void *shared = mmap(NULL, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (shared != MAP_FAILED) counts = shared;
  close(descriptor);
}

static void wait_for(int kind) {
  int before = errno;
  struct timespec left = delay;
  atomic_fetch_add(&counts[kind], 1);
  while (nanosleep(&left, &left) && errno == EINTR) {}
  errno = before;
}

static int is_below(const char *path) {
  return below_size && path && !strncmp(path, below, below_size) && (!path[below_size] || path[below_size] == '/');
}

static int is_slow_descriptor(int descriptor) {
  return descriptor >= 0 && descriptor < DESCRIPTORS && is_slow[descriptor];
}

static void note(int descriptor, int slow) {
  if (descriptor < 0 || descriptor >= DESCRIPTORS) return;
  is_slow[descriptor] = (uint8_t)slow;
  listed[descriptor] = 0;
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENS(name)                                         \
  int name(const char *path, int flags, ...) {              \
    va_list more;                                           \
    NEXT(name);                                             \
    va_start(more, flags);                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                           \
    int slow = is_below(path);                              \
    if (slow) wait_for(OPEN);                               \
    int descriptor = next(path, flags, mode);               \
    note(descriptor, slow);                                 \
    return descriptor;                                      \
  }

#define OPENS_AT(name)                                      \
  int name(int directory, const char *path, int flags, ...) { \
    va_list more;                                           \
    NEXT(name);                                             \
    va_start(more, flags);                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                           \
    int slow = is_below(path) || (path[0] != '/' && is_slow_descriptor(directory)); \
    if (slow) wait_for(OPEN);                               \
    int descriptor = next(directory, path, flags, mode);    \
    note(descriptor, slow);                                 \
    return descriptor;                                      \
  }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

int close(int descriptor) {
  NEXT(close);
  note(descriptor, 0);
  return next(descriptor);
}

#define STATS(name, type)                                   \
  int name(const char *path, struct type *info) {           \
    NEXT(name);                                             \
    if (is_below(path)) wait_for(STAT);                     \
    return next(path, info);                                \
  }

STATS(stat, stat)
STATS(stat64, stat64)
STATS(lstat, stat)
STATS(lstat64, stat64)

#define STATS_OPEN(name, type)                              \
  int name(int descriptor, struct type *info) {             \
    NEXT(name);                                             \
    if (is_slow_descriptor(descriptor)) wait_for(STAT);     \
    return next(descriptor, info);                          \
  }

STATS_OPEN(fstat, stat)
STATS_OPEN(fstat64, stat64)

static int is_slow_at(int directory, const char *path) {
  return is_below(path) || ((!path || path[0] != '/') && is_slow_descriptor(directory));
}

#define STATS_AT(name, type)                                \
  int name(int directory, const char *path, struct type *info, int flags) { \
    NEXT(name);                                             \
    if (is_slow_at(directory, path)) wait_for(STAT);        \
    return next(directory, path, info, flags);              \
  }

STATS_AT(fstatat, stat)
STATS_AT(fstatat64, stat64)

int statx(int directory, const char *path, int flags, unsigned mask, struct statx *info) {
  NEXT(statx);
  if (is_slow_at(directory, path)) wait_for(STAT);
  return next(directory, path, flags, mask, info);
}

ssize_t read(int descriptor, void *buffer, size_t size) {
  NEXT(read);
  if (is_slow_descriptor(descriptor)) wait_for(READ);
  return next(descriptor, buffer, size);
}

#define READS_AT(name, offset_type)                         \
  ssize_t name(int descriptor, void *buffer, size_t size, offset_type offset) { \
    NEXT(name);                                             \
    if (is_slow_descriptor(descriptor)) wait_for(READ);     \
    return next(descriptor, buffer, size, offset);          \
  }

READS_AT(pread, off_t)
READS_AT(pread64, off64_t)

/* The C library opens and lists by itself, past the functions above. */
DIR *opendir(const char *path) {
  NEXT(opendir);
  int slow = is_below(path);
  if (slow) wait_for(OPEN);
  DIR *directory = next(path);
  if (directory) note(dirfd(directory), slow);
  return directory;
}

static void note_listed(DIR *directory) {
  int descriptor = dirfd(directory);
  if (is_slow_descriptor(descriptor) && listed[descriptor]++ % BATCH == 0) wait_for(LIST);
}

#define LISTS(name, type)                                   \
  struct type *name(DIR *directory) {                       \
    NEXT(name);                                             \
    note_listed(directory);                                 \
    return next(directory);                                 \
  }

LISTS(readdir, dirent)
LISTS(readdir64, dirent64)

int inotify_init1(int flags) {
  (void)flags;
  errno = ENOSYS;
  return -1;
}

int inotify_init(void) { return inotify_init1(0); }
