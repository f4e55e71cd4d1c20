/* Preloaded into a process, lets its machine sleep for as long as a test says, since no real one can be put to sleep
 * for a test: the clocks that go on meanwhile (boot, real) jump by the milliseconds that are written in the file which
 * $SEGUE_TEST_SLEPT names, timers of the boot clock that came due are readable at once, and the monotonic clock has
 * stood still. The file's second number is by how much the user has set the real clock, forward or back. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 256 };

/* Two numbers. */
static const volatile int64_t *slept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The timers of the boot clock by descriptor: whether it is one, and the moment it is set to. */
static char is_boot_timer[TIMERS];
static struct itimerspec settings[TIMERS];

static int64_t milliseconds(void) {
  return slept ? *slept : 0;
}

static struct timespec plus(struct timespec time, int64_t more) {
  int64_t nanoseconds = time.tv_nsec + more % 1000 * 1000000;
  time.tv_sec += more / 1000;
  if (nanoseconds >= 1000000000) time.tv_sec++, nanoseconds -= 1000000000;
  if (nanoseconds < 0) time.tv_sec--, nanoseconds += 1000000000;
  time.tv_nsec = nanoseconds;
  return time;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && (clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME)) *time = plus(*time, milliseconds());
  if (result == 0 && clock == CLOCK_REALTIME && slept) *time = plus(*time, slept[1]);
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

int timerfd_create(clockid_t clock, int flags) {
  static int (*real)(clockid_t, int);
  if (!real) real = (int (*)(clockid_t, int))dlsym(RTLD_NEXT, "timerfd_create");
  int fd = real(clock, flags);
  if (fd < 0 || fd >= TIMERS) return fd;
  pthread_mutex_lock(&lock);
  is_boot_timer[fd] = clock == CLOCK_BOOTTIME;
  settings[fd] = (struct itimerspec){0};
  pthread_mutex_unlock(&lock);
  return fd;
}

static int set(int fd, int flags, const struct itimerspec *value, struct itimerspec *former) {
  static int (*real)(int, int, const struct itimerspec *, struct itimerspec *);
  if (!real)
    real = (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
  return real(fd, flags, value, former);
}

/* A moment of the jumped clock, as the kernel has it; one before the machine was started is due now. */
static int set_jumped(int fd) {
  struct itimerspec value = settings[fd];
  value.it_value = plus(value.it_value, -milliseconds());
  if (value.it_value.tv_sec < 0) value.it_value = (struct timespec){0, 1};
  return set(fd, TFD_TIMER_ABSTIME, &value, NULL);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *former) {
  if (fd < 0 || fd >= TIMERS || !is_boot_timer[fd] || !(flags & TFD_TIMER_ABSTIME)) {
    return set(fd, flags, value, former);
  }
  pthread_mutex_lock(&lock);
  settings[fd] = *value;
  int is_set = value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0;
  int result = is_set ? set_jumped(fd) : set(fd, flags, value, former);
  pthread_mutex_unlock(&lock);
  return result;
}

/* The machine has slept when the file is written. */
static void *wait_for_sleep(void *file) {
  int notify = (int)(intptr_t)file;
  char event[sizeof(struct inotify_event) + NAME_MAX + 1];
  while (read(notify, event, sizeof event) > 0) {
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < TIMERS; fd++) {
      const struct timespec at = settings[fd].it_value;
      if (is_boot_timer[fd] && (at.tv_sec != 0 || at.tv_nsec != 0)) set_jumped(fd);
    }
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SEGUE_TEST_SLEPT");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  int notify = inotify_init1(IN_CLOEXEC);
  if (memory == MAP_FAILED || notify < 0 || inotify_add_watch(notify, path, IN_MODIFY) < 0) abort();
  slept = memory;
  /* The program's signals are for its own threads. */
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_sleep, (void *)(intptr_t)notify) != 0) abort();
  pthread_sigmask(SIG_SETMASK, &former, NULL);
}
