#define _GNU_SOURCE
#include "CLinux.h"

// For the daemon, which makes the descriptors of streams. The library only gets them.
#ifndef SEGUE_EMBEDDED
#include <stdio.h>

int segue_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int segue_socket_pair(int ends[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends); }

// The descriptor's file once more, by the name that the kernel has for it.
static int reopen(int fd, int flags) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, flags | O_CLOEXEC | O_NONBLOCK);
}

int segue_open_path(int fd) { return reopen(fd, O_PATH); }

// Whether any process holds the opposite end to the one that `flags` open, of the pipe that `path` stands for. A pipe
// that cannot be opened counts as held.
static int is_held(int path, int flags, short lost) {
  int end = reopen(path, flags);
  if (end < 0) return 1;
  struct pollfd poll_end = {.fd = end};
  int held = poll(&poll_end, 1, 0) < 0 || !(poll_end.revents & lost);
  close(end);
  return held;
}

int segue_pipe_has_writer(int path) { return is_held(path, O_RDONLY, POLLHUP); }

int segue_pipe_has_reader(int path) { return is_held(path, O_WRONLY, POLLERR); }

ssize_t segue_send(int fd, const void *bytes, size_t count) {
  return send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}
#endif
