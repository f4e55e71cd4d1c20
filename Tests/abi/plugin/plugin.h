/** A plugin for the tests of hosting: objects that hold values, that fail, and that use their host. */
#ifndef ABI_PLUGIN_H
#define ABI_PLUGIN_H

#include <segue/closure.h>
#include <segue/plugin.h>

#define FUNCTION(name) ((segue_plugin_function)(name))

extern const segue_plugin_object_descriptor types_descriptor;
extern const segue_plugin_object_descriptor together_descriptor;
extern const segue_plugin_object_descriptor faults_descriptor;
extern const segue_plugin_object_descriptor guest_descriptor;

#endif
