/* Preloaded into a process, makes its disk one that stalls, since no real one does so for a test: a call that waits for
 * the disk returns no sooner than a test lets it. The folder $SEGUE_TEST_DISK has a file `stalls` for as long as the
 * disk does, and one `fails` while it has errors; `waits` gets a byte from each call that waits. It is opened at the
 * start, since the daemon's threads may open no file for writing there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *folder;
static int waits = -1;

static const char *path(char *out, const char *name) {
  snprintf(out, PATH_MAX, "%s/%s", folder, name);
  return out;
}

static int synchronise(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  char text[PATH_MAX];
  if (folder && access(path(text, "stalls"), F_OK) == 0) {
    if (write(waits, "x", 1) != 1) abort();
    while (access(path(text, "stalls"), F_OK) == 0) usleep(1000);
  }
  if (folder && access(path(text, "fails"), F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  return real(fd);
}

int fsync(int fd) {
  return synchronise("fsync", fd);
}

int fdatasync(int fd) {
  return synchronise("fdatasync", fd);
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("SEGUE_TEST_DISK");
  char text[PATH_MAX];
  if (folder) waits = open(path(text, "waits"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}
