/* Expat, which reads the XML of other programs' configurations. */
#include <expat.h>
