/* Helpers that the programs here share: a clock, plain calls over libdbus, and the end when something fails. */
#ifndef COMMON_H
#define COMMON_H

#include <dbus/dbus.h>
#include <stdint.h>

/* The interface of echo.c. */
#define ECHO_PATH "/org/segue/bench/Echo"
#define ECHO_INTERFACE "org.segue.bench.Echo"

/* The application that continues, and the name under which the bus launches it. */
#ifndef BENCH_APP
#define BENCH_APP "org.segue.Bench"
#endif
#define BENCH_NAME BENCH_APP ".Segue"
#define BENCH_TYPE "org.segue.bench.state"
/* The entries of userInfo that make it 1 KiB, each with a digit after this, and the one that grows with every save. */
#define BENCH_TEXT_KEY "text"
/* Another length makes it larger (Benchmarks/network), and several make it larger than one value may be. */
#ifndef BENCH_TEXT_LENGTH
#define BENCH_TEXT_LENGTH 992
#endif
#ifndef BENCH_TEXTS
#define BENCH_TEXTS 1
#endif
#define BENCH_COUNT_KEY "count"

#define PAYLOAD_LENGTH 1024

/* Nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes. */
uint64_t now(void);

/* Says what failed, and ends the process with 1. */
void fail(const char *what, const char *why);

/* A private connection to the bus at an address. */
DBusConnection *open_bus(const char *address);

/* Calls and waits; ends the process at an error. The caller owns the reply. */
DBusMessage *call(DBusConnection *bus, DBusMessage *message);

/* A call of Echo with 1 KiB. */
void call_echo(DBusConnection *bus, const char *name);

/* Waits until one of the peer's activities is on offer at the daemon of the bus. @param id room for 33 bytes. */
void wait_for_offer(DBusConnection *bus, char *id);

/* Continues an offer; returns when the daemon has answered. */
void continue_offer(DBusConnection *bus, const char *id);

/* Reads one time stamp that the continuing application wrote. */
uint64_t read_stamp(int fifo);

/* Opens a FIFO so that neither side ever waits for the other to open it. */
int open_fifo(const char *path);

#endif
