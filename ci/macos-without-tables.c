// A library for the runner of macos-faults.sh to be started with: what the runner does not know and a scan of "/" asks.
// There is no table of mounts and none of processes; the scan has to do without.
#include <errno.h>
#include <stdlib.h>

int m_getfsstat(void *mounts, int size, int flags) { errno = ENOSYS; return -1; }
int m_statfs(const char *path, void *mount) { errno = ENOSYS; return -1; }
int m_statvfs(const char *path, void *capacity) { errno = ENOSYS; return -1; }
int m_proc_listpids(unsigned type, unsigned info, void *ids, int size) { errno = ENOSYS; return -1; }
char *m_realpath(const char *path, char *resolved) { return realpath(path, resolved); }
