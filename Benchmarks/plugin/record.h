/* The measured plugin's functions without Segue: an extension for the programs that measure them. */
#ifndef RECORD_H
#define RECORD_H

#include <stdint.h>

#define RECORD_PLUGIN "org.segue.bench-record"
#define RECORD_FUNCTIONS RECORD_PLUGIN "/1"

typedef struct record_functions {
  /* The setter of "count". */
  int (*set_count)(void *record, int64_t count);
  /* The same with the parameter at the end that GObject adds to every callback. */
  int (*set_count_with_data)(void *record, int64_t count, void *data);
} record_functions;

#endif
