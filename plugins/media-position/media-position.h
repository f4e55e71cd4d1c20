/**
 * @file segue/plugins/media-position.h
 * What the object "playback" of org.segue.media-position can do besides its properties, for
 * segue_plugin_object_get_extension.
 */
#ifndef SEGUE_PLUGINS_MEDIA_POSITION_H
#define SEGUE_PLUGINS_MEDIA_POSITION_H

#include <segue/base.h>

SEGUE_BEGIN_DECLS
SEGUE_BEGIN_NONNULL

#define SEGUE_MEDIA_POSITION "org.segue.media-position/1"

/** The extension. */
typedef struct segue_media_position {
  uint32_t struct_size; /**< sizeof(segue_media_position), the plugin's */
  uint32_t reserved;    /**< 0 */
  /**
   * Sets what is played, and where in it: all three, or none of them. Marks the activity as in need of saving.
   * [application-thread]
   * @param time seconds from the start. -ERANGE if negative or not finite.
   * @param rate 1 is the ordinary speed, 0 stands still, negative goes backwards. -ERANGE if not finite.
   */
  int (*set)(void *object, const char *url, double time, double rate);
} segue_media_position;

SEGUE_END_NONNULL
SEGUE_END_DECLS

#endif
