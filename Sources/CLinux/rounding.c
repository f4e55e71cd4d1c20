#include "CLinux.h"

#include <stdint.h>

// The two functions of the mathematical library that the Swift library's hash tables and times need. libsegue has them
// itself, since loading that library takes a program that does not need it otherwise a fortieth of its start.

// From here on every double is whole.
#define WHOLE 4503599627370496.0

double segue_trunc(double value) {
  // Not a number is no less than anything.
  if (!(value < WHOLE && value > -WHOLE)) return value;
  // A part of -0.5 is -0, as in the mathematical library.
  return __builtin_copysign((double)(int64_t)value, value);
}

double segue_ceil(double value) {
  double whole = segue_trunc(value);
  return whole < value ? whole + 1 : whole;
}

#ifdef SEGUE_EMBEDDED
SEGUE_INTERNAL double trunc(double value) {
  return segue_trunc(value);
}

SEGUE_INTERNAL double ceil(double value) {
  return segue_ceil(value);
}
#endif
