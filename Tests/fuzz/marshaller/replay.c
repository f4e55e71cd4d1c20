/* Runs the inputs in a directory through a target, without libFuzzer: replay FOLDER. */
#include <dirent.h>
#include <stdlib.h>

#include "marshaller.h"

int main(int argc, char **argv) {
  static uint8_t bytes[65536];
  static char path[4096];
  struct dirent *entry;
  int count = 0;
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (folder == NULL) {
    fputs("replay: give the folder of the inputs\n", stderr);
    return 2;
  }
  while ((entry = readdir(folder)) != NULL) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
    count++;
  }
  closedir(folder);
  CHECK(count > 0);
  printf("%d inputs of the corpus passed\n", count);
  return 0;
}
