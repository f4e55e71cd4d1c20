/* The two ends of a pair of descriptors: one asks for bytes, the other sends them, whatever is between both. */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>

/* Answers requests, each the number of bytes that are wanted, until the other side ends. Closes both. */
void serve(int input, int output);

/* Asks for so many bytes and reads them. Gives the nanoseconds until all were there. */
uint64_t ask(int input, int output, uint64_t count);

/* Prints what is measured on a stream: "first" (microseconds to one byte) so many times, then "rate" (MiB/s). */
void measure(int input, int output, int samples, int runs, uint64_t count);

#endif
