// The installed headers of Segue.
#include <segue/segue.h>
// Which the system's module for Swift leaves out.
#include <sys/eventfd.h>
