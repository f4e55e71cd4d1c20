/** The deeds that a host does inside a callback, in every order, for the tests of orders. These need a daemon. */
#ifndef SEGUE_ABI_ORDERS_H
#define SEGUE_ABI_ORDERS_H

#include "abi_test.h"

/** Milliseconds that anything here may take: longer than it does, shorter than a person's patience. */
#define PATIENCE 20000

/** How many deeds a host does. */
#define DEEDS 5

/** The deeds' names, by their numbers in an order. */
extern const char *const orders_names[DEEDS];

/** Milliseconds of a clock that goes on evenly. */
long orders_now(void);
/** Changes an order of 0 to DEEDS - 1 into the next one; 0 if it was the last. */
int orders_next(int *order);
/** Does one deed to the host's objects: invalidates or resigns the activity, drops the delegates of both, drops the
 * application, which is NULL then, or calls `detach`, which drops the host's own objects. */
void orders_do(
    int deed, segue_application **application, segue_activity *activity, void (*detach)(void *host), void *host);
/** Checks that a call succeeded, or failed because the application is gone or the activity has ended. */
void orders_check(int result);

#endif
