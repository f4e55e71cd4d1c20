#define _GNU_SOURCE
#include "CLinux.h"

#include <link.h>
#include <linux/openat2.h>
#include <sys/prctl.h>

int segue_accept(int fd) {
  return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

void segue_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int segue_memfd_create(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int segue_peer_credentials(int fd, uid_t *uid, pid_t *pid) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
  *uid = credentials.uid;
  *pid = credentials.pid;
  return 0;
}

int segue_contains(const void *bytes, size_t count, const char *text) {
  return memmem(bytes, count, text, strlen(text)) != NULL;
}

int segue_find_beneath(int folder, const char *path) {
  struct open_how how = {
      .flags = O_PATH | O_CLOEXEC,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

int segue_find_path(const char *path) { return open(path, O_PATH | O_CLOEXEC); }

int segue_find_folder(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int segue_find_element(int folder, const char *name) {
  return openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int segue_reserve(int fd, int64_t length) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length); }

const char *segue_library_path(void) {
  Dl_info info;
  struct link_map *map = NULL;
  if (dladdr1((void *)segue_library_path, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL) return NULL;
  return map->l_name[0] == '\0' ? NULL : map->l_name;
}

int segue_signal_descriptor(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
  return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

#ifdef SEGUE_EMBEDDED
#include <sys/random.h>

// Functions that Embedded Swift calls in the C library. They are hidden, so that they serve this library only.

// Seeds of hashes, and random identifiers. glibc has it since 2.36 only; getentropy since 2.25.
SEGUE_INTERNAL void arc4random_buf(void *buffer, size_t length) {
  char *bytes = buffer;
  while (length > 0) {
    // As much as one call gives.
    size_t part = length < 256 ? length : 256;
    // Without random numbers identifiers could be guessed: end rather than go on.
    if (getentropy(bytes, part) != 0) abort();
    bytes += part;
    length -= part;
  }
}

// The text of a trap, one character a call. Standard output belongs to the application.
SEGUE_INTERNAL int putchar(int character) {
  char byte = (char)character;
  return write(STDERR_FILENO, &byte, 1) == 1 ? (unsigned char)byte : -1;
}
#endif
