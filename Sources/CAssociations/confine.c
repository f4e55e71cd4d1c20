#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CAssociations.h"

// Rights of later versions than the header's: renaming across folders, truncating, ioctl on devices.
#define ALL_RIGHTS(abi) \
  (((1ULL << 13) - 1) | ((abi) >= 2 ? 1ULL << 13 : 0) | ((abi) >= 3 ? 1ULL << 14 : 0) | ((abi) >= 5 ? 1ULL << 15 : 0))

// The files and directories that TLS and the C library's resolver read.
static const char *const readable[] = {
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/usr/lib",
    "/usr/lib64",
    "/lib",
    "/lib64",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/usr/share/zoneinfo",
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/dev/urandom",
};

static void allow(int rules, const char *path) {
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct landlock_path_beneath_attr rule = {
      .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR, .parent_fd = file};
  if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
    // The path is no directory.
    rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  close(file);
}

static void limit(int resource, rlim_t value) {
  struct rlimit both = {value, value};
  setrlimit(resource, &both);
}

int segue_confine(const char *roots, unsigned seconds) {
  alarm(seconds);
  close_range(3, ~0U, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_DATA, 256UL << 20);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 1) return 0;
  struct landlock_ruleset_attr attributes = {.handled_access_fs = ALL_RIGHTS(abi)};
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return 0;
  for (unsigned i = 0; i < sizeof readable / sizeof *readable; i++) allow(rules, readable[i]);
  if (roots != NULL) allow(rules, roots);
  int confined = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(rules);
  return confined;
}
