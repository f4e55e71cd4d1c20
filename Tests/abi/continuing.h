/** A continuation in one process, which is both sides: two applications of a team. A host does its deeds inside a
 * callback of either, and the scene counts the callbacks. Needs a daemon. */
#ifndef SEGUE_ABI_CONTINUING_H
#define SEGUE_ABI_CONTINUING_H

#include "orders.h"

/* How many objects one restoration handler takes. */
#define RESTORABLES 4096

typedef struct scene scene;
typedef struct side side;

/* The userdata of the callbacks. The host frees it when it has dropped everything. */
typedef struct host {
  side *here;
} host;

/* One of the two applications, and all that its host holds. */
struct side {
  scene *scene;
  segue_application *application;
  segue_activity *activity; /* the reader's until one has come */
  segue_responder *responder;
  segue_document *document;
  segue_window *window;
  segue_restoration *restoration;
  host *userdata;
  int is_in_callback;
  int is_over;
  int restored;  /* calls of the responder */
  int nested;    /* callbacks inside another call of the host's */
  int late;      /* callbacks after its deeds */
  int made;      /* userdata: one for each object that has the host's userdata */
  int destroyed; /* userdata */
};

struct scene {
  side origin;
  side reader;
  const char *callback; /* in which the host does its deeds */
  const int *order;     /* of the deeds */
  int is_chosen;
  int completed;
  int continued; /* what the origin was told */
};

/** Makes both sides, of which the origin has an activity on offer, and the reader will choose it. */
void continuing_set_up(scene *here, const char *callback, const int *order);
/** Drops what is left of both. */
void continuing_tear_down(scene *here);
/** Waits for either application, and dispatches both. */
void continuing_take_turn(scene *here);
/** Whether no callback came when none may, and each userdata was freed once. */
int continuing_is_well(const side *here);
/** Prints what a side has seen. */
void continuing_say(const scene *here, const side *of);

/* Goes on until the condition holds. */
#define UNTIL(here, condition)                                                          \
  do {                                                                                  \
    long start = orders_now();                                                          \
    while (!(condition) && orders_now() - start < PATIENCE) continuing_take_turn(here); \
    CHECK(condition);                                                                   \
  } while (0)

#endif
