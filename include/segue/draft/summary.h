/**
 * @file segue/draft/summary.h
 * A draft of an extension that a plugin's object may have (segue_plugin_object_get_extension): says in a few words what
 * it holds, for a title or a list of places. As a draft it may change or go; then its revision changes.
 */
#ifndef SEGUE_DRAFT_SUMMARY_H
#define SEGUE_DRAFT_SUMMARY_H

#include "../plugin.h"

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

#define SEGUE_PLUGIN_SUMMARY "org.segue.summary/1"

/** The extension. */
typedef struct segue_plugin_summary {
  uint32_t struct_size; /**< sizeof(segue_plugin_summary), the plugin's */
  uint32_t reserved;    /**< 0 */
  /**
   * Writes the summary, "line 42", in UTF-8 with NUL at the end, cut between characters where there is no room.
   * [application-thread]
   * @param size bytes of room. @return the bytes that the whole of it has, without the NUL; 0 where there is none.
   */
  size_t (*get)(void *object, char *out_text, size_t size);
} segue_plugin_summary;

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
