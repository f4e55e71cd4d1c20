/* Addresses: a path of mpv, and the URL by which another device has the same thing. */
#ifndef SEGUE_MPV_ADDRESS_H
#define SEGUE_MPV_ADDRESS_H

#include <stdbool.h>

/* Room for an address. */
#define ADDRESS_SIZE 8192

/* The URL of a path, relative to a folder, or of a URL; false for what another device cannot open. */
bool address_url(const char *folder, const char *path, char url[ADDRESS_SIZE]);
/* The path or URL that this device's mpv opens for an address of another device: http, https, or a regular file here
 * that is none of the kernel's, and no list of other addresses by its name. False for any other, with why. A size has
 * no bound here: a film may be as large as its disk, and mpv reads what it shows. */
bool address_open(const char *url, char path[ADDRESS_SIZE], const char **why);

#endif
