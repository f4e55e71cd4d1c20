/* For test.swift, which hosts the plugin as an application does. */
#include <segue/segue.h>
