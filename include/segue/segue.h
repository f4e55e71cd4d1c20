#ifndef SEGUE_SEGUE_H
#define SEGUE_SEGUE_H
typedef struct segue_application segue_application;
int segue_version_number(void);
const char *_Nonnull segue_hello(segue_application *_Nonnull app);
#endif
