// The installed headers of Segue.
#include <segue/segue.h>
