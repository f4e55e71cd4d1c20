/*
 * bare serve INPUT OUTPUT | bare ask INPUT OUTPUT SAMPLES RUNS BYTES: both ends of what stands between two
 * applications, without Segue: of a socket pair, in which input and output are one, or of whatever is compared.
 */
#include <stdlib.h>
#include <string.h>

#include "../common.h"
#include "bytes.h"

int main(int count, char **given) {
  if (count == 4 && strcmp(given[1], "serve") == 0) {
    serve(atoi(given[2]), atoi(given[3]));
  } else if (count == 7 && strcmp(given[1], "ask") == 0) {
    measure(atoi(given[2]), atoi(given[3]), atoi(given[4]), atoi(given[5]), strtoull(given[6], NULL, 10));
  } else {
    fail("bare", "usage: bare serve INPUT OUTPUT | bare ask INPUT OUTPUT SAMPLES RUNS BYTES");
  }
  return 0;
}
