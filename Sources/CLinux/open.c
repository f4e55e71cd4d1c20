#define _GNU_SOURCE
#include "CLinux.h"

#include <stdio.h>

int segue_open_file(int folder, const char *name) {
  int found = segue_find_element(folder, name);
  if (found < 0) return -1;
  struct stat status;
  int file = -1;
  if (fstat(found, &status) == 0) {
    if (S_ISREG(status.st_mode)) {
      char path[32];
      snprintf(path, sizeof path, "/proc/self/fd/%d", found);
      file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    } else {
      errno = S_ISLNK(status.st_mode) ? ELOOP : ENXIO;
    }
  }
  int reason = errno;
  close(found);
  errno = reason;
  return file;
}
