/*
 * The plugin's exports. They are in C, because in Swift 6.3 no constant can hold the address of a text: @section takes
 * numbers and functions only, and @c no variables. The functions themselves are in Swift.
 */
#include "page.h"

#define FUNCTION(name) (segue_plugin_function) name

/* The URL first: another page starts anew, without the former one's title, place and fields. */
static const segue_plugin_property properties[] = {
    {"page.url", "mU", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, NULL, FUNCTION(page_get_url),
     FUNCTION(page_set_url), free},
    {"page.fields", "v", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(page_get_fields), FUNCTION(page_set_fields), NULL},
    {"page.title", "ms", SEGUE_PROPERTY_PORTABLE, NULL, FUNCTION(page_get_title), FUNCTION(page_set_title), free},
    {"page.scroll-x", "d", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(page_get_scroll_x), FUNCTION(page_set_scroll_x),
     NULL},
    {"page.scroll-y", "d", SEGUE_PROPERTY_PORTABLE, "0", FUNCTION(page_get_scroll_y), FUNCTION(page_set_scroll_y),
     NULL},
    {"page.zoom", "d", SEGUE_PROPERTY_THIS_DEVICE, "1", FUNCTION(page_get_zoom), FUNCTION(page_set_zoom), NULL},
};

static const segue_plugin_summary summary = {.struct_size = sizeof summary, .get = page_get_summary};

static const void *get_extension(void *object, const char *id) {
  (void)object;
  return strcmp(id, SEGUE_PLUGIN_SUMMARY) == 0 ? &summary : NULL;
}

static const segue_plugin_object_descriptor page = {
    .struct_size = sizeof page,
    .property_size = sizeof(segue_plugin_property),
    .id = "page",
    .name = "A web page",
    .create = page_create,
    .destroy = page_destroy,
    .properties = properties,
    .property_count = sizeof properties / sizeof properties[0],
    .update_user_activity_state = page_update,
    .get_extension = get_extension,
};

static const segue_plugin_object_descriptor *const descriptors[] = {&page};
static const segue_plugin_object_factory factory = {
    .struct_size = sizeof factory, .count = 1, .descriptors = descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof segue_entry,
    .abi = SEGUE_PLUGIN_ABI,
    .id = "org.segue.web-page",
    .get_factory = get_factory,
};
