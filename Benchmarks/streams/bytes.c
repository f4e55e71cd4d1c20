#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common.h"

#define BLOCK (256 * 1024)

static void read_all(int input, void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t some = read(input, (char *)bytes + done, length - done);
    if (some <= 0) fail("streams", "the stream has ended");
    done += (size_t)some;
  }
}

static void write_all(int output, const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t some = write(output, (const char *)bytes + done, length - done);
    if (some <= 0) fail("streams", "nobody reads");
    done += (size_t)some;
  }
}

void serve(int input, int output) {
  char *block = calloc(1, BLOCK);
  uint64_t left;
  while (read(input, &left, sizeof left) == sizeof left) {
    while (left > 0) {
      size_t some = left < BLOCK ? (size_t)left : BLOCK;
      write_all(output, block, some);
      left -= some;
    }
  }
  free(block);
  close(output);
  if (input != output) close(input);
}

uint64_t ask(int input, int output, uint64_t count) {
  static char block[BLOCK];
  uint64_t begun = now();
  write_all(output, &count, sizeof count);
  while (count > 0) {
    size_t some = count < BLOCK ? (size_t)count : BLOCK;
    read_all(input, block, some);
    count -= some;
  }
  return now() - begun;
}

void measure(int input, int output, int samples, int runs, uint64_t count) {
  for (int i = 0; i < samples; i++) printf("first %.1f\n", (double)ask(input, output, 1) / 1e3);
  for (int i = 0; i < runs; i++) {
    double seconds = (double)ask(input, output, count) / 1e9;
    printf("rate %.1f\n", (double)count / 1048576 / seconds);
  }
  fflush(stdout);
}
