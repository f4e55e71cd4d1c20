/* The functions of the plugin. Swift implements them, and tables.c puts them into the plugin's tables: so both
 * compilers hold the same prototypes. */
#ifndef PAGE_H
#define PAGE_H

#include <errno.h>
#include <segue/draft/summary.h>
#include <segue/plugin.h>
#include <segue/value.h>
#include <stdlib.h>
#include <string.h>

SEGUE_BEGIN_NONNULL

int page_create(const segue_plugin_host *host, SEGUE_OUT(void *) out_object);
void page_destroy(void *object);

/* Text is given away: free(). */
char *SEGUE_NULLABLE page_get_url(void *object);
int page_set_url(void *object, const char *SEGUE_NULLABLE url);
char *SEGUE_NULLABLE page_get_title(void *object);
int page_set_title(void *object, const char *SEGUE_NULLABLE title);
double page_get_scroll_x(void *object);
int page_set_scroll_x(void *object, double part);
double page_get_scroll_y(void *object);
int page_set_scroll_y(void *object, double part);
double page_get_zoom(void *object);
int page_set_zoom(void *object, double factor);
/* Stays the object's. */
segue_value *page_get_fields(void *object);
int page_set_fields(void *object, segue_value *fields);

int page_update(void *object, segue_activity *activity);
size_t page_get_summary(void *object, char *out_text, size_t size);

SEGUE_END_NONNULL

#endif
