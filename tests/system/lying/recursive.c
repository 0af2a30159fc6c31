/* A file system whose directories have the size of everything below them as their length, as on CephFS.
 * Mounted by tests/system/lying/recursive.rs.
 *
 *   /            2 directories and a file of 1,000 bytes; 1,501,000 bytes
 *   /read        a file of 1,000,000 bytes
 *   /locked      cannot be opened; 500,000 bytes
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
  const char *path;
  off_t length;
  int is_directory;
} entries[] = {
    {"/", 1501000, 1},      {"/file", 1000, 0},   {"/read", 1000000, 1},
    {"/read/file", 1000000, 0}, {"/locked", 500000, 1},
};
enum { COUNT = sizeof entries / sizeof *entries };

static int find(const char *path) {
  for (int i = 0; i < COUNT; i++)
    if (!strcmp(path, entries[i].path)) return i;
  return -ENOENT;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *info) {
  (void)info;
  int at = find(path);
  if (at < 0) return at;
  memset(st, 0, sizeof *st);
  st->st_mode = entries[at].is_directory ? S_IFDIR | 0755 : S_IFREG | 0644;
  st->st_nlink = 1;
  st->st_size = entries[at].length;
  st->st_blocks = entries[at].is_directory ? 1 : (entries[at].length + 511) / 512;
  return 0;
}

static int get_extended(const char *path, const char *name, char *value, size_t size) {
  int at = find(path);
  char text[24];
  if (at < 0) return at;
  if (strcmp(name, "ceph.dir.rbytes") || !entries[at].is_directory) return -ENODATA;
  if (!strcmp(path, "/locked")) return -EACCES;
  int length = snprintf(text, sizeof text, "%lld", (long long)entries[at].length);
  if (size == 0) return length;
  if (size < (size_t)length) return -ERANGE;
  memcpy(value, text, length);
  return length;
}

static int open_directory(const char *path, struct fuse_file_info *info) {
  (void)info;
  return strcmp(path, "/locked") ? 0 : -EACCES;
}

static int list(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                enum fuse_readdir_flags flags) {
  (void)offset, (void)info, (void)flags;
  size_t length = strlen(path);
  fill(buffer, ".", NULL, 0, 0);
  fill(buffer, "..", NULL, 0, 0);
  if (length == 1) length = 0;
  for (int i = 1; i < COUNT; i++) {
    const char *name = entries[i].path + length + 1;
    if (!strncmp(entries[i].path, path, length) && entries[i].path[length] == '/' && !strchr(name, '/'))
      fill(buffer, name, NULL, 0, 0);
  }
  return 0;
}

int main(int count, char **arguments) {
  static const struct fuse_operations operations = {
      .getattr = get_attributes, .getxattr = get_extended, .opendir = open_directory, .readdir = list};
  return fuse_main(count, arguments, &operations, NULL);
}
