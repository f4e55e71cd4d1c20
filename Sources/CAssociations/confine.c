#define _GNU_SOURCE
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "CAssociations.h"
#include "CConfine.h"

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
  struct segue_allowed allowed[sizeof readable / sizeof *readable + 1];
  size_t count = 0;
  for (; count < sizeof readable / sizeof *readable; count++) {
    allowed[count] = (struct segue_allowed){readable[count], SEGUE_MAY_READ};
  }
  if (roots != NULL) allowed[count++] = (struct segue_allowed){roots, SEGUE_MAY_READ};
  return segue_confine_files(SEGUE_MAY_READ | SEGUE_MAY_CHANGE | SEGUE_MAY_EXECUTE | SEGUE_MAY_ELSE, allowed, count);
}
