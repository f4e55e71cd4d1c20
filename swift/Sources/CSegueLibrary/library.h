// The installed headers of Segue.
#include <segue/segue.h>
// The system's module for Swift leaves this header out.
#include <sys/eventfd.h>
