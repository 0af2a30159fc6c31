/* Writes a page that never arrives into the file given as argument: write(2) holds the lock of the file until the
 * process is killed. Compiled by tests/system/frees.rs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **words) {
  long page = sysconf(_SC_PAGESIZE);
  int file = open(words[count - 1], O_WRONLY), faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register area = {.range = {(unsigned long)memory, page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (file < 0 || faults < 0 || memory == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
      ioctl(faults, UFFDIO_REGISTER, &area))
    return 1;
  return write(file, memory, page) < 0;
}
