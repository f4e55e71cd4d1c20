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

const char *const orders_names[DEEDS] = {"invalidate", "detach", "resign", "drop delegates", "drop application"};

void orders_do(
    int deed, segue_application **application, segue_activity *activity, void (*detach)(void *host), void *host) {
  switch (deed) {
    case 0: orders_check(segue_activity_invalidate(activity)); break;
    case 1: detach(host); break;
    case 2: orders_check(segue_activity_resign_current(activity)); break;
    case 3:
      orders_check(segue_activity_set_delegate(activity, NULL, NULL, NULL));
      if (*application != NULL) orders_check(segue_application_set_delegate(*application, NULL, NULL, NULL));
      break;
    default: *application = segue_application_unref(*application);
  }
}
