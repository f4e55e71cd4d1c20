/*
 * bare serve FD | bare ask FD SAMPLES RUNS BYTES: both ends of what stands between two applications, without Segue. The
 * descriptor is one end of a socket pair, or of whatever is compared.
 */
#include <stdlib.h>
#include <string.h>

#include "../common.h"
#include "bytes.h"

int main(int count, char **given) {
  if (count == 3 && strcmp(given[1], "serve") == 0) {
    serve(atoi(given[2]), atoi(given[2]));
  } else if (count == 6 && strcmp(given[1], "ask") == 0) {
    int end = atoi(given[2]);
    measure(end, end, atoi(given[3]), atoi(given[4]), strtoull(given[5], NULL, 10));
  } else {
    fail("bare", "usage: bare serve FD | bare ask FD SAMPLES RUNS BYTES");
  }
  return 0;
}
