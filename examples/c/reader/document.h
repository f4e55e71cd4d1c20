/** A text file in memory, read once and split into lines. */
#ifndef READER_DOCUMENT_H
#define READER_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct document document;

/**
 * Reads a file. @return NULL where that failed; *out_reason is then a sentence for a person, which the caller frees.
 */
document *document_open(const char *path, char **out_reason);
void document_free(document *opened);

/** The absolute path, and the file's name in it. */
const char *document_path(const document *opened);
const char *document_name(const document *opened);
/** The path as a file URL. */
const char *document_url(const document *opened);
/** The SHA-256 digest of the file's bytes as they were read, in hexadecimal. */
const char *document_digest(const document *opened);

/** How many lines there are: at least one, which may be empty. */
size_t document_line_count(const document *opened);
/** The text of a line, counted from 0, as valid UTF-8. */
const char *document_line(const document *opened, size_t line);

/**
 * The first line that contains the text, from a line on, wrapping round at the end or, backward, at the start.
 * @return false if no line does.
 */
bool document_search(const document *opened, const char *text, size_t from, bool backward, size_t *out_line);
/** The line nearest to another one that contains the text, or with `whole` is the text. */
bool document_find_nearest(const document *opened, const char *text, bool whole, size_t near, size_t *out_line);

/** The path that a file URL names, which the caller frees; NULL if it names none. */
char *document_path_of_url(const char *url);

#endif
