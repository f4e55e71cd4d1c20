/* Prints the plugin's metadata, which is read without running code: it says what the plugin's own tables say. Linked
 * with the plugin's objects. */
#include <stdio.h>

#include "calls.h"

extern const segue_plugin_entry segue_entry;

static void describe_property(const char *object, const segue_plugin_property *property) {
  printf("\n[Property %s/%s]\nType=%s\n", object, property->key, property->signature);
  if (property->flags & SEGUE_PROPERTY_REQUIRED) puts("Required=true");
  printf("Scope=%s\n", property->flags & SEGUE_PROPERTY_THIS_DEVICE ? "this-device" : "portable");
  if (property->default_value != NULL) printf("Default=%s\n", property->default_value);
}

static void describe_object(const segue_plugin_object_descriptor *object) {
  printf("\n[Object %s]\nName=%s\n", object->id, object->name);
  if (object->property_count > 0) printf("Properties=");
  for (uint32_t i = 0; i < object->property_count; i++) printf("%s;", object->properties[i].key);
  if (object->property_count > 0) putchar('\n');
  for (uint32_t i = 0; i < object->property_count; i++) describe_property(object->id, &object->properties[i]);
}

int main(void) {
  const segue_plugin_object_factory *factory = segue_entry.get_factory(SEGUE_PLUGIN_OBJECT_FACTORY);
  if (factory == NULL) return 1;
  printf(
      "[Plugin]\nId=%s\nName=%s\nVersion=%s\nABI=%u\nObjects=", segue_entry.id, plugin_get_name(), plugin_get_version(),
      segue_entry.abi);
  for (uint32_t i = 0; i < factory->count; i++) printf("%s;", factory->descriptors[i]->id);
  putchar('\n');
  for (uint32_t i = 0; i < factory->count; i++) describe_object(factory->descriptors[i]);
  return fflush(stdout) == 0 ? 0 : 1;
}
