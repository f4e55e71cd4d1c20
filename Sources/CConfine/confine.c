#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CConfine.h"

// Rights of later versions than the header's.
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)
#define DEVICE_COMMANDS (1ULL << 15)

#define CHANGE                                                                                      \
  (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |       \
   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |    \
   LANDLOCK_ACCESS_FS_MAKE_SYM)
// The rights that a file can have which is no directory.
#define OF_FILES                                                                                          \
  (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | TRUNCATE | \
   DEVICE_COMMANDS)

static uint64_t rights(unsigned kinds, long version) {
  uint64_t all = 0;
  if (kinds & SEGUE_MAY_READ) all |= LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  if (kinds & SEGUE_MAY_EXECUTE) all |= LANDLOCK_ACCESS_FS_EXECUTE;
  if (kinds & SEGUE_MAY_CHANGE) all |= CHANGE | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
  if (kinds & SEGUE_MAY_ELSE) all |= version >= 5 ? DEVICE_COMMANDS : 0;
  return all;
}

static void allow(int rules, const struct segue_allowed *allowed, uint64_t handled, long version) {
  int file = open(allowed->path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  if (fstat(file, &status) == 0) {
    uint64_t access = rights(allowed->kinds, version) & handled;
    struct landlock_path_beneath_attr rule = {
        .allowed_access = S_ISDIR(status.st_mode) ? access : access & OF_FILES, .parent_fd = file};
    if (rule.allowed_access != 0) syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(file);
}

int segue_make_rules(unsigned kinds, const struct segue_allowed *allowed, size_t count) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return -1;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = rights(kinds, version)};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return -1;
  for (size_t i = 0; i < count; i++) allow(rules, &allowed[i], attributes.handled_access_fs, version);
  return rules;
}

int segue_confine_thread(int rules) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
}

int segue_confine_files(unsigned kinds, const struct segue_allowed *allowed, size_t count) {
  int rules = segue_make_rules(kinds, allowed, count);
  if (rules < 0) return 0;
  int confined = segue_confine_thread(rules);
  close(rules);
  return confined;
}
