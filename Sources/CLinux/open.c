#define _GNU_SOURCE
#include "CLinux.h"

#include <stdio.h>

int segue_open_found(int found) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", found);
  return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}
