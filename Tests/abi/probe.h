/** Declarations that the parts of segue-probe share. probe.c describes the program. */
#ifndef SEGUE_PROBE_H
#define SEGUE_PROBE_H

#include <segue/segue.h>
#include <stdbool.h>

/** An activity, a responder, a document, an object of a plugin or a window with the name that the commands use. */
typedef struct named {
  struct named *next;
  char *name;
  segue_activity *activity;    /**< of an activity, else NULL */
  segue_responder *responder;  /**< of a responder, and of a document or an object as one, else NULL */
  segue_document *document;    /**< of a document, else NULL */
  segue_plugin_object *object; /**< of a plugin's object, else NULL */
  segue_window *window;        /**< of a window, else NULL */
  segue_value *state;          /**< of a responder or document: the dictionary that its update adds */
  char *prefers;               /**< of a window: the target that it prefers, "*" for all */
  char *can;                   /**< of a window: the target that it can show */
} named;

/** The behaviour of the callbacks, in the words of the command `on`. */
typedef struct behaviours {
  char will_continue[24];
  char continue_activity[24];
  char update[24];
  char version[24]; /**< as a delegate is set: "absent" leaves check_version out */
  char changed[24];
  char make_window[24];
  char open_document[24];
  char streams[24]; /**< as a delegate is set: "absent" leaves did_receive_streams out */
} behaviours;

/** The source of a continuation's state; "" for a field that was not given. */
typedef struct probe_source {
  char id[33];
  char state[8];
  char age[24];
} probe_source;

typedef struct probe_state {
  segue_application *application;
  named *first; /**< in the order in which they were made */
  behaviours on;
  segue_restoration *deferred; /**< kept by `on continue defer` */
  probe_source coming;         /**< as will_continue had it */
  probe_source came;           /**< as continue_activity has it */
  int asks;                    /**< how often continue asks for streams */
  bool holds;                  /**< continue then waits for a line */
  bool closes;                 /**< the callbacks that have streams close them, and wait for a line */
  bool tells_reasons;          /**< why each will_save runs */
  bool tells_sources;          /**< which continuation an event belongs to */
  bool dispatches;             /**< false after stop-dispatch */
  bool quits;
} probe_state;

extern probe_state probe;

/** A command: its arguments, the word itself first. @return what the library returned, for "ok" or "error". */
typedef struct command {
  const char *word;
  int arguments; /**< how many it needs */
  int (*run)(char **arguments);
} command;

/** Ended by an entry without a word. */
extern const command activity_commands[];
extern const command attribute_commands[];
extern const command state_commands[];
extern const command responder_commands[];
extern const command window_commands[];
extern const command mischief_commands[];
extern const command document_commands[];
extern const command plugin_commands[];
extern const command continuation_commands[];
extern const command offer_commands[];
extern const command stream_commands[];
extern const command file_commands[];
extern const command application_commands[];

/* probe_attributes.c */
/** Returns when the thread of start-pairs, where there is one, has set a whole pair since the call. */
void probe_await_pair(void);

/* probe_names.c */
named *names_new(const char *name);
/** Frees an entry that is in no list: the destroy function of a responder. */
void names_free(void *made);
/** Puts an entry, with its handle, at the end of the list. */
void names_add(named *added);
/** NULL if there is no activity, no responder, no window of that name. */
named *names_activity(const char *name);
named *names_responder(const char *name);
named *names_window(const char *name);
/** The name of an activity's handle, "-" if it has none. */
const char *names_of_activity(const segue_activity *activity);
/** Takes an entry off the list and drops its handle. */
void names_remove(named *removed);
void names_clear(void);

/* probe_text.c */
/** Decodes %XX in place. */
char *text_decode(char *text);
/** As text_decode, but NULL for "-". */
char *text_decode_nullable(char *text);
/** Prints one line: a word, and texts up to NULL, each encoded after a space, "-" where it is empty. */
void text_print(const char *first, ...) __attribute__((sentinel));
/** An activity's userInfo, or a value, as hexadecimal CBOR; to be freed. "-" where that failed. */
char *text_of_value(const segue_value *value);
char *text_of_user_info(const segue_activity *activity);
/** The value of hexadecimal CBOR. @return a negative errno where it is malformed. */
int text_value(const char *hex, segue_value **out_value);

/* probe_callbacks.c */
/** The application's delegate, as it is now. */
const segue_application_delegate *probe_delegate(void);
/** The delegate with offers_changed, from now on. */
const segue_application_delegate *probe_follow(void);
/** Takes a member out of the application's delegate. @return -EINVAL if there is none of that name. */
int probe_without(const char *member);
const segue_activity_delegate *probe_activity_delegate(void);
const segue_responder_methods *probe_methods(void);
/** Prints the change, if `on changed` asks for it. */
void probe_changed(const named *changed, segue_activity *activity);
/** Notes the source of a continuation's state. */
void probe_note_source(const segue_continuation *continuation, probe_source *noted);

/** Notes the source of the continuation that a restoration belongs to. */
void probe_note_restoration(const segue_restoration *restoration);

/** Does what `on continue` says, for a window's continue too. */
bool probe_continue(segue_activity *activity, segue_restoration *restoration);

/* probe_mischief.c */
/** Does what `mischief` has armed for this callback. */
void mischief_in(const char *callback);

/* probe_window.c */
/** Makes a window; with a continue of its own or without. @return a negative errno where that failed. */
int window_make(const char *name, bool continues);

/* probe_document.c */
/** Opens a document and names it. */
int document_open(const char *name, const char *url, const char *mime_type);

/* probe_stream.c */
void received_streams(segue_activity *activity, int input, int output, void *userdata);
/** Does what ask-inside says, inside continue. */
void streams_inside(segue_activity *activity);

/* probe_offer.c */
void offers_changed(segue_application *application, void *userdata);
/** Drops the offer that is held. */
void offers_clear(void);

/* probe_null.c */
/** Calls every function with NULL and with handles of another kind; prints what came out. */
int null_arguments(char **arguments);

#endif
