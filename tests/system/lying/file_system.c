/* A file system that lies: one directory for each lie. Mounted by tests/system/lying/mod.rs.
 *
 *   repeats   lists each of its three files twice
 *   types     says its directory is a file and its file a directory
 *   breaks    cannot be listed: EIO
 *   loops     holds a directory with the identity of the one it is in
 *   huge      holds a file with more blocks than any number of bytes
 *   endless   always has one more name; in no listing, so that it is met only by who asks for it
 *   hangs     holds a file whose opening never ends; in no listing either
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCKS = 16 };

static int is_directory(const char *path) {
  const char *name = strrchr(path, '/') + 1;
  static const char *const names[] = {"", "repeats", "types", "breaks", "loops", "huge", "inner", "again", "endless", "hangs"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return 1;
  return 0;
}

static ino_t number(const char *path) {
  ino_t hash = 5381;
  /* "again" is the directory it is in. */
  const char *end = strstr(path, "/again");
  if (!end) end = path + strlen(path);
  for (const char *at = path; at < end; at++) hash = hash * 33 + (unsigned char)*at;
  return hash & 0xffffffff;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *info) {
  (void)info;
  if (strstr(path, "missing")) return -ENOENT;
  memset(st, 0, sizeof *st);
  st->st_ino = number(path);
  st->st_mode = is_directory(path) ? S_IFDIR | 0755 : S_IFREG | 0644;
  st->st_nlink = 1;
  st->st_size = 4096;
  st->st_blocks = strstr(path, "absurd") ? INT64_MAX : BLOCKS;
  return 0;
}

static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                enum fuse_readdir_flags flags) {
  (void)info, (void)flags;
  struct stat file = {.st_mode = S_IFREG}, directory = {.st_mode = S_IFDIR};
  if (!strcmp(path, "/endless")) {
    char name[32];
    do
      snprintf(name, sizeof name, "%lld", (long long)++offset);
    while (!fill(buffer, name, &file, offset, 0));
    return 0;
  }
#define ADD(name, as) fill(buffer, name, &(as), 0, 0)
  ADD(".", directory);
  ADD("..", directory);
  if (!strcmp(path, "/")) {
    ADD("repeats", directory);
    ADD("types", directory);
    ADD("breaks", directory);
    ADD("loops", directory);
    ADD("huge", directory);
  } else if (!strcmp(path, "/repeats")) {
    for (int time = 0; time < 2; time++) {
      ADD("one", file);
      ADD("two", file);
      ADD("three", file);
    }
  } else if (!strcmp(path, "/types")) {
    ADD("inner", file);
    ADD("plain", directory);
  } else if (!strcmp(path, "/types/inner")) {
    ADD("below", file);
  } else if (!strcmp(path, "/breaks")) {
    return -EIO;
  } else if (!strncmp(path, "/loops", 6)) {
    ADD("again", directory);
    ADD("file", file);
  } else if (!strcmp(path, "/hangs")) {
    ADD("asleep", file);
    ADD("awake", file);
    ADD("empty", file);
  } else if (!strcmp(path, "/huge")) {
    ADD("absurd-1", file);
    ADD("absurd-2", file);
    ADD("plain", file);
  }
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *info) {
  (void)info;
  while (strstr(path, "asleep")) pause();
  return 0;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->use_ino = 1;
  return NULL;
}

int main(int count, char **arguments) {
  static const struct fuse_operations operations = {.init = start, .getattr = get_attributes, .readdir = list, .open = open_file};
  return fuse_main(count, arguments, &operations, NULL);
}
