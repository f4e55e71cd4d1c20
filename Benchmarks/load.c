/*
 * load LIBRARY [BEFORE]...: what loading a shared library costs a process that has loaded the others before. Prints the
 * microseconds of dlopen, and by how many KiB the process's private memory grew.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Private_Dirty of all mappings. Without stdio, which would allocate in between. */
static long private_kib(void) {
  static char text[4096];
  int file = open("/proc/self/smaps_rollup", O_RDONLY);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  const char *line = length < 0 ? NULL : strstr(text, "Private_Dirty:");
  if (line == NULL) exit(1);
  close(file);
  return strtol(line + strlen("Private_Dirty:"), NULL, 10);
}

static void load(const char *library) {
  if (dlopen(library, RTLD_NOW | RTLD_GLOBAL) != NULL) return;
  fprintf(stderr, "bench: %s\n", dlerror());
  exit(1);
}

int main(int count, char **given) {
  if (count < 2) return 1;
  for (int i = 2; i < count; i++) load(given[i]);
  private_kib();
  long before = private_kib();
  double start = now();
  load(given[1]);
  double end = now();
  long after = private_kib();
  printf("%.1f %ld\n", end - start, after - before);
  return 0;
}
