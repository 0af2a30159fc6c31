// Runs a macOS binary on Linux, as the program it includes does, on a machine that can be described and made to fail.
// cc -O1 -w -rdynamic -I FOLDER_OF_MACHRUN -o machine ci/macos-machine.c -ldl -lpthread -lm
//
// In addition to the variables of machrun.c:
//   MR_MOUNTS=file       one mount a line: point, source, type, flags (hexadecimal), blocks, free blocks, own blocks, of 4 KiB;
//                        or "link FOLDER POINT": a firmlink into the volume mounted at POINT
//   MR_SNAPSHOTS=point=name,..  APFS snapshots of the volume mounted at the point; EINVAL for other folders
//   MR_TCC=name,..       privacy settings: opening fails with EPERM, everything else works
//   MR_SEARCH=name,..    folders of mode d-wx: opening for reading fails with EACCES, for searching (O_SEARCH) it works
//   MR_DEADLK=name,..    folders only in the cloud: opening and unlinkat without AT_REMOVEDIR_DATALESS fail with EDEADLK
//   MR_DIRLINK=name,..   folders with two names (HFS+)
//   MR_BULKDEV=1         getattrlistbulk reports another device number than stat
//   MR_APFS=1            folders have no blocks
//   MR_NOTTYPOLL=1       poll answers POLLNVAL for /dev/tty
//   MR_STRICT_NAMES=1    names that are not UTF-8 are refused (EILSEQ)
#define m_open base_open
#define m_openat base_openat
#define m_fstat base_fstat
#define m_fstatat base_fstatat
#define m_stat base_stat
#define m_lstat base_lstat
#define m_getattrlistbulk base_getattrlistbulk
#define m_sysconf base_sysconf
#include "machrun.c"
#undef m_open
#undef m_openat
#undef m_fstat
#undef m_fstatat
#undef m_stat
#undef m_lstat
#undef m_getattrlistbulk
#undef m_sysconf
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <termios.h>

static int error(int number) { mac_errno = number; return -1; }
static const char *last(const char *path) { const char *slash = strrchr(path, '/'); return slash ? slash + 1 : path; }

static int named(const char *variable, const char *path) { const char *name = last(path); return *name && has(variable, name); }

// ---- memory: compiled for macOS, filling with a repeated value is a call of this function
void m_memset_pattern16(u8 *to, const u8 *pattern, size_t length) {
  for (size_t i = 0; i < length; i++) to[i] = pattern[i % 16];
}

// ---- open
enum { D_CREAT = 0x200, D_TRUNC = 0x400, D_EXCL = 0x800, D_NOFOLLOW = 0x100, D_DIRECTORY = 0x100000, D_EXEC = 0x40000000, D_CLOEXEC = 0x1000000 };

static int opened(int directory, const char *path, int flags, int mode) {
  if (directory == -2) directory = AT_FDCWD;
  struct stat st;
  if (named("MR_TCC", path)) return error(1);
  if (named("MR_DEADLK", path)) return error(11);
  if (named("MR_SEARCH", path) && !(flags & D_EXEC)) return error(13);
  int l = flags & 3;
  if (flags & 4) l |= O_NONBLOCK;
  if (flags & 8) l |= O_APPEND;
  if (flags & D_NOFOLLOW) l |= O_NOFOLLOW;
  if (flags & D_CREAT) l |= O_CREAT;
  if (flags & D_TRUNC) l |= O_TRUNC;
  if (flags & D_EXCL) l |= O_EXCL;
  if (flags & D_DIRECTORY) l |= O_DIRECTORY;
  if (flags & D_CLOEXEC) l |= O_CLOEXEC;
  if (flags & D_EXEC) l |= O_PATH; // the descriptor serves for lookups only
  int fd = openat(directory, path, l, mode);
  if (trace) fprintf(stderr, "[machine] openat(%s, %#x) = %d\n", path, flags, fd);
  return fd < 0 ? (int)fail() : fd;
}
int m_open(const char *path, int flags, int mode) { return opened(-2, path, flags, mode); }
int m_openat(int directory, const char *path, int flags, int mode) { return opened(directory, path, flags, mode); }

// ---- stat: the layout of base_fstat, with what APFS reports for folders
static int as_apfs(int result, u8 *d) {
  if (!result) memset(d + 80, 0, 16); // machrun.c takes the last change for the birth
  uint16_t mode; memcpy(&mode, d + 4, 2);
  if (!result && getenv("MR_APFS") && (mode & 0170000) == 0040000) memset(d + 104, 0, 8);
  return result;
}
static int as_named(int result, const char *path, u8 *d) { // SF_DATALESS
  if (!result && named("MR_DEADLK", path)) d[119] |= 0x40;
  return as_apfs(result, d);
}
static void traced(const char *call) { if (trace) fprintf(stderr, "[machine] %s\n", call); }
int m_fstat(int fd, u8 *d) { traced("fstat"); return as_apfs(base_fstat(fd, d), d); }
int m_stat(const char *path, u8 *d) { traced("stat"); return as_named(base_stat(path, d), path, d); }
int m_lstat(const char *path, u8 *d) { traced("lstat"); return as_named(base_lstat(path, d), path, d); }
int m_fstatat(int fd, const char *path, u8 *d, int flags) { traced("fstatat"); return as_named(base_fstatat(fd, path, d, flags), path, d); }

// ---- getattrlistbulk: what machrun.c cannot be told
static u8 *field(u8 *record, u32 group, u32 wanted) { // common 0, directories 2
  static const struct { u32 bit, size; } common[] = {{0x20000000, 4}, {1, 8}, {2, 4}, {4, 8}, {8, 4}, {0x10, 4}, {0x20, 8}, {0x40, 8}, {0x80, 8}, {0x200, 16}, {0x400, 16}, {0x800, 16}, {0x1000, 16}, {0x8000, 4}, {0x10000, 4}, {0x20000, 4}, {0x40000, 4}, {0x2000000, 8}, {0x4000000, 8}};
  u32 set[5]; memcpy(set, record + 4, 20);
  u8 *at = record + 24;
  for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
    if (!(set[0] & common[i].bit)) continue;
    if (group == 0 && common[i].bit == wanted) return at;
    at += common[i].size;
  }
  return group == 2 && (set[2] & 1) && wanted == 1 ? at : 0; // the link count is the first of its group
}
int m_getattrlistbulk(int fd, struct alist *list, u8 *buffer, size_t size, u64 options) {
  int count = base_getattrlistbulk(fd, list, buffer, size, options);
  u8 *record = buffer;
  for (int i = 0; i < count; i++) {
    u32 length; memcpy(&length, record, 4);
    u8 *device = field(record, 0, 2), *links = field(record, 2, 1), *name = field(record, 0, 1);
    u32 offset; memcpy(&offset, name, 4);
    if (device && getenv("MR_BULKDEV")) device[3] ^= 1;
    if (links && has("MR_DIRLINK", (char *)name + offset)) links[0] = 2;
    record += length;
  }
  return count;
}

// ---- mounts
struct volume { char point[PATH_MAX], source[PATH_MAX], type[16]; u32 flags; u64 blocks, free, own; };
static struct volume volumes[64]; static int volume_count = -1;
static struct { char folder[PATH_MAX], point[PATH_MAX]; } links[64]; static int link_count;
static pthread_mutex_t volume_lock = PTHREAD_MUTEX_INITIALIZER;
static int volumes_read(void) {
  pthread_mutex_lock(&volume_lock);
  if (volume_count < 0 && getenv("MR_MOUNTS")) {
    FILE *file = fopen(getenv("MR_MOUNTS"), "r"); char line[3 * PATH_MAX];
    if (!file) { perror(getenv("MR_MOUNTS")); _exit(97); }
    volume_count = 0;
    while (fgets(line, sizeof line, file)) {
      struct volume *v = &volumes[volume_count];
      if (sscanf(line, "link %s %s", links[link_count].folder, links[link_count].point) == 2) link_count++;
      else if (sscanf(line, "%s %s %s %x %lu %lu %lu", v->point, v->source, v->type, &v->flags, &v->blocks, &v->free, &v->own) == 7) volume_count++;
    }
    fclose(file);
  }
  pthread_mutex_unlock(&volume_lock);
  return volume_count >= 0;
}
static size_t under(const char *path, const char *point) {
  size_t n = strlen(point);
  if (n == 1) return 1;
  return strncmp(path, point, n) || (path[n] && path[n] != '/') ? 0 : n;
}
static struct volume *volume_of(const char *path) {
  char real[PATH_MAX]; size_t best = 0; struct volume *found = 0;
  if (!realpath(path, real)) { fail(); return 0; }
  const char *point = 0;
  for (int i = 0; i < link_count; i++) { size_t n = under(real, links[i].folder); if (n > best) { best = n; point = links[i].point; } }
  for (int i = 0; i < volume_count; i++) { size_t n = under(real, volumes[i].point); if (n > best) { best = n; point = volumes[i].point; } }
  for (int i = 0; point && i < volume_count; i++) if (!strcmp(volumes[i].point, point)) found = &volumes[i];
  if (!found) mac_errno = 2;
  return found;
}
static void describe(struct volume *v, u8 *d) {
  memset(d, 0, 2168); u32 block = 4096, id[2] = {0x7000000 + (u32)(v - volumes), 26}; // unlike any st_dev
  memcpy(d, &block, 4); memcpy(d + 8, &v->blocks, 8); memcpy(d + 16, &v->free, 8); memcpy(d + 24, &v->free, 8);
  memcpy(d + 48, id, 8); memcpy(d + 64, &v->flags, 4); strcpy((char *)d + 72, v->type);
  strncpy((char *)d + 88, v->point, 1023); strncpy((char *)d + 1112, v->source, 1023);
}
int m_getfsstat(u8 *list, int size, int flags) {
  if (!volumes_read()) return error(78);
  if (!list) return volume_count;
  int room = size / 2168, n = volume_count < room ? volume_count : room;
  for (int i = 0; i < n; i++) describe(&volumes[i], list + i * 2168);
  return n;
}
int m_statfs(const char *path, u8 *d) {
  if (!volumes_read()) return error(78);
  struct volume *v = volume_of(path);
  if (!v) return -1;
  describe(v, d);
  return 0;
}
static const char *path_of(int fd, char *path) {
  char link[64]; snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, PATH_MAX - 1);
  path[n < 0 ? 0 : n] = 0;
  return path;
}
int m_fstatfs(int fd, u8 *d) { char path[PATH_MAX]; return m_statfs(path_of(fd, path), d); }
int m_statvfs(const char *path, void *d) { return error(78); }
char *m_realpath(const char *path, char *resolved) { char *result = realpath(path, resolved); if (!result) fail(); return result; }

// ---- APFS
int m_getattrlist(const char *path, struct alist *list, u8 *answer, size_t size, unsigned options) {
  if (list->v != 0x80800000 || !volumes_read()) return error(22); // ATTR_VOL_INFO, ATTR_VOL_SPACEUSED
  struct volume *v = volume_of(path);
  if (!v) return -1;
  u32 length = 12; u64 used = v->own * 4096;
  memcpy(answer, &length, 4); memcpy(answer + 4, &used, 8);
  return 0;
}
static __thread int listed = -1;
int m_fs_snapshot_list(int fd, struct alist *list, u8 *buffer, size_t size, u32 flags) {
  char path[PATH_MAX]; path_of(fd, path);
  struct volume *v = volumes_read() ? volume_of(path) : 0;
  if (!v || strcmp(v->point, path)) return error(22); // only at the top of a volume
  if (listed == fd) { listed = -1; return 0; }
  listed = fd;
  char *all = strdup(getenv("MR_SNAPSHOTS") ?: ""), *rest = all, *one; int count = 0; u8 *at = buffer;
  while ((one = strsep(&rest, ","))) {
    char *name = strchr(one, '=');
    if (!name || strncmp(one, v->point, name - one) || v->point[name - one]) continue;
    u32 size = strlen(++name) + 1, length = (32 + size + 7) & ~7, offset = 8, bits = 0x80000001;
    memset(at, 0, length); memcpy(at, &length, 4); memcpy(at + 4, &bits, 4); memcpy(at + 24, &offset, 4); memcpy(at + 28, &size, 4);
    strcpy((char *)at + 32, name); at += length; count++;
  }
  free(all);
  return count;
}

// ---- changes
static int bad_name(const char *name) {
  if (!getenv("MR_STRICT_NAMES")) return 0;
  for (; *name; name++) if ((u8)*name >= 0xf8) return 1;
  return 0;
}
int m_unlinkat(int fd, const char *name, int flags) {
  int directory = flags & 0x80, dataless = flags & 0x100; // AT_REMOVEDIR, AT_REMOVEDIR_DATALESS
  if (directory && named("MR_DEADLK", name) && !dataless) return error(11);
  return unlinkat(fd == -2 ? AT_FDCWD : fd, name, directory ? AT_REMOVEDIR : 0) ? (int)fail() : 0;
}
int m_mkdirat(int fd, const char *name, int mode) { return bad_name(name) ? error(92) : mkdirat(fd == -2 ? AT_FDCWD : fd, name, mode) ? (int)fail() : 0; }
int m_mkdir(const char *name, int mode) { return m_mkdirat(-2, name, mode); }
int m_renameatx_np(int from, const char *name, int to, const char *new, unsigned flags) {
  if (flags & ~4) return error(22); // RENAME_EXCL
  return renameat2(from == -2 ? AT_FDCWD : from, name, to == -2 ? AT_FDCWD : to, new, flags ? 1 : 0) ? (int)fail() : 0;
}
int m_renameat(int from, const char *name, int to, const char *new) { return renameat(from == -2 ? AT_FDCWD : from, name, to == -2 ? AT_FDCWD : to, new) ? (int)fail() : 0; }
int m_linkat(int from, const char *name, int to, const char *new, int flags) { // 0x40: AT_SYMLINK_FOLLOW
  return linkat(from == -2 ? AT_FDCWD : from, name, to == -2 ? AT_FDCWD : to, new, flags & 0x40 ? AT_SYMLINK_FOLLOW : 0) ? (int)fail() : 0;
}
i64 m_pread(int fd, void *bytes, size_t size, i64 at) { i64 n = pread(fd, bytes, size, at); return n < 0 ? fail() : n; }
int m_symlink(const char *target, const char *name) { return symlink(target, name) ? (int)fail() : 0; }
int m_fsetattrlist(int fd, const u32 *list, const i64 *times, size_t size, unsigned options) { // creation, modification and access time
  struct timespec two[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
  if (list[1] & 0x200) times += 2;
  if (list[1] & 0x400) { two[1].tv_sec = times[0]; two[1].tv_nsec = times[1]; times += 2; }
  if (list[1] & 0x1000) { two[0].tv_sec = times[0]; two[0].tv_nsec = times[1]; }
  return futimens(fd, two) ? (int)fail() : 0;
}
int m_rename(const char *name, const char *new) { return rename(name, new) ? (int)fail() : 0; }
int m_ftruncate(int fd, i64 size) { return ftruncate(fd, size) ? (int)fail() : 0; }
int m_mkfifo(const char *name, int mode) { return mkfifo(name, mode) ? (int)fail() : 0; }
int m_unlink(const char *name) { return unlink(name) ? (int)fail() : 0; }
int m_rmdir(const char *name) { return rmdir(name) ? (int)fail() : 0; }
i64 m_lseek(int fd, i64 at, int from) { // SEEK_HOLE is 3 and SEEK_DATA 4
  i64 n = lseek(fd, at, from == 3 || from == 4 ? 7 - from : from); return n < 0 ? fail() : n;
}
int m_faccessat(int fd, const char *name, int mode, int flags) { return faccessat(fd == -2 ? AT_FDCWD : fd, name, mode, 0) ? (int)fail() : 0; }
int m_readlinkat(int fd, const char *name, char *text, size_t size) { int n = readlinkat(fd == -2 ? AT_FDCWD : fd, name, text, size); return n < 0 ? (int)fail() : n; }

// ---- processes and the terminal
int m_proc_listpids(unsigned type, unsigned info, void *ids, int size) { return error(78); }
int m_poll(struct pollfd *list, unsigned count, int timeout) {
  int invalid = 0; char path[PATH_MAX];
  for (unsigned i = 0; getenv("MR_NOTTYPOLL") && i < count; i++)
    if (!strncmp(path_of(list[i].fd, path), "/dev/tty", 8)) { list[i].revents = POLLNVAL; invalid++; }
  return invalid ?: poll(list, count, timeout) < 0 ? (int)fail() : invalid;
}
int m_select(int count, fd_set *in, fd_set *out, fd_set *except, const i64 *limit) { // the sets have the same layout
  struct timeval time; if (limit) { time.tv_sec = limit[0]; time.tv_usec = (int)limit[1]; }
  int n = select(count, in, out, except, limit ? &time : 0); return n < 0 ? (int)fail() : n;
}
int m_tcgetattr(int fd, u8 *modes) { struct termios t; memset(modes, 0, 72); return tcgetattr(fd, &t) ? (int)fail() : 0; }
extern int socketpair(int, int, int, int *); // sys/socket.h and machrun.c both have a `bind`
int m_socketpair(int domain, int type, int protocol, int *pair) { return socketpair(domain, type, protocol, pair) ? (int)fail() : 0; }
int m_ioctl(int fd, u64 request, void *argument) { // FIOCLEX, FIONBIO
  if (request == 0x20006601) return fcntl(fd, F_SETFD, FD_CLOEXEC) ? (int)fail() : 0;
  if (request == 0x8004667e) { int flags = fcntl(fd, F_GETFL); return fcntl(fd, F_SETFL, *(int *)argument ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) ? (int)fail() : 0; }
  return error(25);
}
int m_sigemptyset(u32 *set) { *set = 0; return 0; }
int m_sigaddset(u32 *set, int signal) { *set |= 1u << (signal - 1); return 0; }
int m_setsockopt(int fd, int level, int option, const void *value, unsigned size) { return 0; } // SO_NOSIGPIPE
extern ssize_t send(int, const void *, size_t, int);
i64 m_send(int fd, const void *bytes, size_t size, int flags) { i64 n = send(fd, bytes, size, flags & 0x80 ? 0x40 : 0); return n < 0 ? fail() : n; } // MSG_DONTWAIT
i64 m_sysconf(int name) { return name == 5 ? 10240 : base_sysconf(name); }
int m_getrlimit(int which, u64 *limit) { if ((which & 0xff) != 8) return error(22); limit[0] = 256; limit[1] = 0x7fffffffffffffff; return 0; }
int m_setrlimit(int which, const u64 *limit) { struct rlimit l; getrlimit(RLIMIT_NOFILE, &l); l.rlim_cur = limit[0] < l.rlim_max ? limit[0] : l.rlim_max; return setrlimit(RLIMIT_NOFILE, &l) ? (int)fail() : 0; }
