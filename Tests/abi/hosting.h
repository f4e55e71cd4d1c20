/** A host of the plugin in plugin/, which the tests of hosting share: an application, the plugin, one of its objects.
 */
#ifndef SEGUE_ABI_HOSTING_H
#define SEGUE_ABI_HOSTING_H

#include "abi_test.h"
#include "plugin/guest.h"

/** The path at which the Makefile has put the plugin. */
#define PLUGIN ABI_PREFIX "/lib/segue/plugins/org.segue.abi-test.so"

typedef struct host {
  segue_application *application;
  segue_plugin *plugin;
  segue_plugin_object *object;
  segue_activity *activity;
  int restored;
  int failed;
  int destroyed;
  char failure[256];
  char line[256];
  int lines;
} host;

/** Makes the host with an object of this id and prefix. If the plugin is missing, the tests end. */
void host_begin(host *here, const char *id, const char *prefix);
/** Releases the remaining objects, and checks that the object's userdata has been destroyed. */
void host_end(host *here);
segue_responder *host_responder(host *here);
/** The functions of the plugin's object "guest", and the object for them. */
const guest_functions *host_guest(host *here, void **out_object);

#endif
