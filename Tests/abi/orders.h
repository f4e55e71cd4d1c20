/** What the tests of orders share: what a host does inside a callback, in every order. They need a daemon. */
#ifndef SEGUE_ABI_ORDERS_H
#define SEGUE_ABI_ORDERS_H

#include "abi_test.h"

/** Milliseconds that anything here may take: longer than it does, shorter than a person's patience. */
#define PATIENCE 20000

/** How many things a host does. */
#define DEEDS 5

/** What they are called, by their numbers in an order. */
extern const char *const orders_names[DEEDS];

/** Milliseconds of a clock that goes on evenly. */
long orders_now(void);
/** Makes the next order of 0 to DEEDS - 1 of this one; 0: it was the last. */
int orders_next(int *order);
/** Does one of them to what a host holds: invalidates or resigns the activity, drops the delegates of both, or drops
 * the application, which is NULL then. `detach` lets go of the host's own objects. */
void orders_do(
    int deed, segue_application **application, segue_activity *activity, void (*detach)(void *host), void *host);
/** 0, or why not: the application is gone, or the activity has ended. */
void orders_check(int result);

#endif
