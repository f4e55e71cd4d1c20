#define _GNU_SOURCE
#include "CLinux.h"

// For the daemon and the command line. The library starts nothing, and must run with older C libraries than this needs.
#ifndef SEGUE_EMBEDDED
#include <spawn.h>
#include <sys/prctl.h>

// Starts a program in a session of its own, with the descriptors that `actions` leave up to `last`, and no more.
// `folder` may be NULL.
static int spawn(
    char *const *arguments, char *const *environment, const char *folder, posix_spawn_file_actions_t *actions, int last,
    pid_t *pid) {
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
  if (error == 0) error = posix_spawn(pid, arguments[0], actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return -error;
  int process = segue_pidfd_open(*pid);
  return process < 0 ? -errno : process;
}

int segue_spawn(char *const *arguments, char *const *environment, const char *folder, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return -error;
  error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  int result = error == 0 ? spawn(arguments, environment, folder, &actions, STDERR_FILENO, pid) : -error;
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int segue_spawn_piped(char *const *arguments, char *const *environment, int input, int output, pid_t *pid) {
  // The copies are above the standard descriptors: one given here may be a standard one, and the actions replace those.
  int from = input < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : fcntl(input, F_DUPFD_CLOEXEC, 3);
  int to = fcntl(output, F_DUPFD_CLOEXEC, 3);
  posix_spawn_file_actions_t actions;
  int error = from < 0 || to < 0 ? errno : posix_spawn_file_actions_init(&actions);
  int result = -error;
  if (error == 0) {
    error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    result = error == 0 ? spawn(arguments, environment, "/", &actions, STDERR_FILENO, pid) : -error;
    posix_spawn_file_actions_destroy(&actions);
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  return result;
}

int segue_spawn_reporting(char *const *arguments, int report, pid_t *pid) {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) return -errno;
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return -error;
  // First: `report` may be one of the standard descriptors, where the caller was started without them.
  error = posix_spawn_file_actions_adddup2(&actions, report, SEGUE_REPORT_FILENO);
  if (error == 0) error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  int result = error == 0 ? spawn(arguments, environ, NULL, &actions, SEGUE_REPORT_FILENO, pid) : -error;
  posix_spawn_file_actions_destroy(&actions);
  return result;
}
#endif
