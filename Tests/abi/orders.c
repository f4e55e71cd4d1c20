#include "orders.h"

#include <time.h>

long orders_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int orders_next(int *order) {
  int i = DEEDS - 2;
  int j = DEEDS - 1;
  int swapped;
  while (i >= 0 && order[i] > order[i + 1]) i--;
  if (i < 0) return 0;
  while (order[j] < order[i]) j--;
  swapped = order[i];
  order[i] = order[j];
  order[j] = swapped;
  for (i++, j = DEEDS - 1; i < j; i++, j--) {
    swapped = order[i];
    order[i] = order[j];
    order[j] = swapped;
  }
  return 1;
}

void orders_check(int result) {
  CHECK(result == 0 || result == -ESHUTDOWN || result == -ESTALE);
}
