/**
 * @file segue/version.h
 * Which library this is. A program built against an older header runs with every newer library of the same SONAME
 * (libsegue.so.0); docs/abi.md holds the promise.
 */
#ifndef SEGUE_VERSION_H
#define SEGUE_VERSION_H

#include "base.h"

#define SEGUE_VERSION_MAJOR 0
#define SEGUE_VERSION_MINOR 1
#define SEGUE_VERSION_PATCH 0
/** One number that grows with each release: 10000 * major + 100 * minor + patch. */
#define SEGUE_VERSION_NUMBER (10000 * SEGUE_VERSION_MAJOR + 100 * SEGUE_VERSION_MINOR + SEGUE_VERSION_PATCH)

SEGUE_BEGIN_DECLS

/** The SEGUE_VERSION_NUMBER of the library that is loaded. [any-thread] */
int32_t segue_version_number(void);

/** The same as text, "0.1.0". Static. [any-thread] */
const char *SEGUE_NONNULL segue_version_string(void);

SEGUE_END_DECLS

#endif
