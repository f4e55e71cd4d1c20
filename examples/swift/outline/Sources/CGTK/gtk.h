#include <gtk/gtk.h>
// g_unix_fd_add
#include <glib-unix.h>
