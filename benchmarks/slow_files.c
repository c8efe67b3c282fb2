/* Preloaded into a program: calls for files below SLOW_FILES_BELOW take SLOW_FILES_MICROSECONDS longer, as on a
   network file system, and are counted. SLOW_FILES_MOUNTS is read as the table of mounts. See slow_files.py. */

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

static const char *below, *mounts;
static size_t below_size;
static struct timespec delay;
static _Atomic uint64_t own_counts[KINDS], *counts = own_counts;
static _Atomic uint8_t is_slow[DESCRIPTORS];
static _Atomic uint32_t listed[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SLOW_FILES_COUNTS"), *text = getenv("SLOW_FILES_MICROSECONDS");
  long microseconds = text ? atol(text) : 0;
  mounts = getenv("SLOW_FILES_MOUNTS");
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

/* Volatile, for the C library declares that paths are never null: some programs probe with such calls. */
static int is_below(const char *volatile given) {
  const char *path = given;
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
    if (mounts && !strcmp(path, "/proc/self/mountinfo")) path = mounts; \
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

int closedir(DIR *directory) {
  NEXT(closedir);
  note(dirfd(directory), 0);
  return next(directory);
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

static int is_slow_at(int directory, const char *volatile given) {
  const char *path = given;
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

/* What programs call that were linked with an older C library. */
int __xstat64(int version, const char *path, struct stat64 *info) {
  (void)version;
  return stat64(path, info);
}

int __lxstat64(int version, const char *path, struct stat64 *info) {
  (void)version;
  return lstat64(path, info);
}

int __fxstat64(int version, int descriptor, struct stat64 *info) {
  (void)version;
  return fstat64(descriptor, info);
}

int __fxstatat64(int version, int directory, const char *path, struct stat64 *info, int flags) {
  (void)version;
  return fstatat64(directory, path, info, flags);
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
