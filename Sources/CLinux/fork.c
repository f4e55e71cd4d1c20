#include "CLinux.h"

// pthread_atfork costs nothing at each call, unlike asking getpid() each time.

uint32_t segue_fork_count;

static void in_child(void) { __atomic_add_fetch(&segue_fork_count, 1, __ATOMIC_RELAXED); }

__attribute__((constructor)) static void install(void) { pthread_atfork(NULL, NULL, in_child); }
