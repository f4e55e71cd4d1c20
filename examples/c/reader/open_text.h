/** The open type for texts (org.segue.open.Text), which any application may offer and continue: the way of its keys
 * into the model's place, and back.
 */
#ifndef READER_OPEN_TEXT_H
#define READER_OPEN_TEXT_H

#include <segue/segue.h>

#include "reader.h"

#define OPEN_TEXT_TYPE "org.segue.open.Text"

/** A place as it was read; its strings live until open_text_clear(). */
typedef struct open_text {
  char *path;   /**< NULL: the activity names no file that is plainly one of this device */
  char *digest; /**< of the whole file; NULL where the other device gave none */
  char *words;  /**< the text around the cursor, in its line; NULL where there is none */
  size_t line;  /**< from 0 */
} open_text;

/** Reads the keys. Each may be missing, and of another type than it should be. */
void open_text_read(const segue_activity *activity, open_text *out_text);
void open_text_clear(open_text *text);

/** Writes the model's file and place, for whatever continues it. */
void open_text_write(segue_activity *activity, const reader *model);

#endif
