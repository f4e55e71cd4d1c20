#include "CLinux.h"

// pthread_atfork costs nothing at each call, unlike asking getpid() each time.

static uint32_t generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void) { __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED); }

static void install(void) { pthread_atfork(NULL, NULL, in_child); }

uint32_t segue_fork_generation(void) {
  pthread_once(&once, install);
  return __atomic_load_n(&generation, __ATOMIC_RELAXED);
}
