#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

int segue_terminal_open(char *path, size_t length) {
  int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return -errno;
  if (grantpt(terminal) != 0 || unlockpt(terminal) != 0 || fcntl(terminal, F_SETFL, O_RDWR | O_NONBLOCK) != 0) {
    int error = errno;
    close(terminal);
    return -error;
  }
  int error = ptsname_r(terminal, path, length);
  if (error == 0) return terminal;
  close(terminal);
  return -error;
}

// Starts a program in a session of its own, with the default signal handling, and no descriptor past `last`.
static int spawn(
    char *const *arguments, char *const *environment, const char *folder, posix_spawn_file_actions_t *actions, int last,
    int searches, pid_t *pid) {
  posix_spawnattr_t attributes;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) return -error;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  error = posix_spawn_file_actions_addclosefrom_np(actions, last + 1);
  if (error == 0 && folder != NULL) error = posix_spawn_file_actions_addchdir_np(actions, folder);
  if (error == 0) {
    error = searches ? posix_spawnp(pid, arguments[0], actions, &attributes, arguments, environment)
                     : posix_spawn(pid, arguments[0], actions, &attributes, arguments, environment);
  }
  posix_spawnattr_destroy(&attributes);
  return -error;
}

int segue_terminal_spawn(char *const *arguments, char *const *environment, const char *path, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return -error;
  // The first terminal that the leader of a session opens controls it.
  error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDWR, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  int result = error == 0 ? spawn(arguments, environment, NULL, &actions, STDERR_FILENO, 1, pid) : -error;
  posix_spawn_file_actions_destroy(&actions);
  if (result != 0) return result;
  int process = (int)syscall(SYS_pidfd_open, *pid, 0);
  return process < 0 ? -errno : process;
}

int segue_terminal_detach(
    char *const *arguments, char *const *environment, const char *folder, int handed, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return -error;
  int last = STDERR_FILENO;
  if (handed >= 0) {
    // First: it may be one of the standard descriptors.
    error = posix_spawn_file_actions_adddup2(&actions, handed, SEGUE_HANDED_FILENO);
    last = SEGUE_HANDED_FILENO;
  }
  if (error == 0) error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  int result = error == 0 ? spawn(arguments, environment, folder, &actions, last, 0, pid) : -error;
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int segue_terminal_set_size(int terminal, int rows, int columns) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return ioctl(terminal, TIOCSWINSZ, &size);
}

int segue_terminal_size(int terminal, int *rows, int *columns) {
  struct winsize size;
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return -1;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}

int segue_terminal_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) sigaddset(&signals, numbers[i]);
  signal(SIGPIPE, SIG_IGN);
  if (pthread_sigmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
  return signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

int segue_terminal_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

void segue_terminal_stop(void) {
  kill(getpid(), SIGSTOP);
}

static struct {
  int terminal;
  struct termios settings;
  const char *farewell;
  size_t length;
} guarded = {.terminal = -1};

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};

// Calls only functions that are safe in a signal handler.
static void restore(int number) {
  if (guarded.terminal >= 0) {
    (void)!write(guarded.terminal, guarded.farewell, guarded.length);
    tcsetattr(guarded.terminal, TCSANOW, &guarded.settings);
  }
  signal(number, SIG_DFL);
  raise(number);
}

void segue_terminal_guard(int terminal, const char *farewell, size_t length) {
  char *copy = malloc(length);
  if (copy == NULL || tcgetattr(terminal, &guarded.settings) != 0) {
    free(copy);
    return;
  }
  memcpy(copy, farewell, length);
  guarded.farewell = copy;
  guarded.length = length;
  guarded.terminal = terminal;
  for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) signal(crashes[i], restore);
}

void segue_terminal_unguard(void) {
  guarded.terminal = -1;
  for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) signal(crashes[i], SIG_DFL);
  free((void *)guarded.farewell);
  guarded.farewell = NULL;
}

enum { MOST = 2 };

ssize_t segue_terminal_send(int socket, const void *bytes, size_t length, const int *descriptors, int count) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * MOST)];
  } control = {0};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0 && count <= MOST) {
    message.msg_control = control.space;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * (size_t)count);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t segue_terminal_receive(int socket, void *bytes, size_t length, int *descriptors, int *count) {
  struct iovec part = {.iov_base = bytes, .iov_len = length};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * MOST)];
  } control = {0};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  *count = 0;
  ssize_t result = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (result < 0) return result;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t number = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < number; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      if (*count < MOST) {
        descriptors[(*count)++] = descriptor;
      } else {
        close(descriptor);
      }
    }
  }
  return result;
}
