/** A place in a text, as the plugin's object holds it. */
#ifndef TEXT_POSITION_PLACE_H
#define TEXT_POSITION_PLACE_H

#include <stddef.h>
#include <stdint.h>

/** A selection is four numbers: line and column of the end that stays, line and column of the end that moves. */
#define SELECTION_NUMBERS 4
#define SELECTION_MAXIMUM 64

typedef struct place {
  char *file; /**< a URL; NULL: of no file */
  uint32_t line;
  uint32_t column;
  uint32_t top; /**< 0: unknown */
  uint32_t selections[SELECTION_MAXIMUM * SELECTION_NUMBERS];
  size_t selection_numbers;
} place;

/** The function of segue_plugin_summary: "notes.txt, line 42". */
size_t place_get_summary(void *object, char *out_text, size_t size);

#endif
