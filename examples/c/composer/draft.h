/** The model of the composer: a mail that is being written, and its attachments. It knows no other device. */
#ifndef COMPOSER_DRAFT_H
#define COMPOSER_DRAFT_H

#include <glib.h>
#include <stdbool.h>

/** A file that goes with the mail. */
typedef struct attachment {
  char *name;     /**< as the mail shows it: one name, no path */
  guint64 size;   /**< in bytes */
  char *path;     /**< where it is on this device; NULL while it is still on the other one */
  guint64 so_far; /**< how many of its bytes are here, while path is NULL */
} attachment;

/** How many files a mail may have. */
#define DRAFT_ATTACHMENTS 64

typedef struct draft {
  char *to;
  char *subject;
  char *text;
  GPtrArray *attachments; /**< of attachment */
} draft;

void draft_init(draft *mail);
void draft_clear(draft *mail);
/** Puts it back to an empty mail. */
void draft_reset(draft *mail);
/** Whether nothing has been written yet. */
bool draft_is_empty(const draft *mail);

/** Replaces a part, which is mail->to, ->subject or ->text. */
void draft_set(char **part, const char *value);

/** Attaches a file of this device. @return false if that failed; *out_reason says why, to be freed by g_free. */
bool draft_attach(draft *mail, const char *path, char **out_reason);
/** Adds a file that is on the other device. Its name is made one that is safe here, and new in this mail. */
attachment *draft_expect(draft *mail, const char *name, guint64 size);

attachment *draft_attachment(const draft *mail, guint index);
/** How many attachments are not here yet. */
guint draft_missing(const draft *mail);

#endif
