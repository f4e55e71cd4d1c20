/*
 * A note in a main loop of Qt: a line that is typed is the note, and another device goes on with it. The end of input
 * ends the program; launched by the session bus, with --service, it reads none.
 */
#include <segue/segue.h>
#include <QCoreApplication>
#include <QSocketNotifier>
#include <QTimer>
#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>

struct Note {
  segue_application *app = nullptr;
  segue_responder *responder = nullptr;
  segue_activity *activity = nullptr; /* none until something is typed or restored */
  std::string text;

  bool join();
  bool read();
  ~Note();
};

/* Another device goes on with the note. */
static void save(segue_responder *, segue_activity *activity, void *data) {
  segue_activity_add_string(activity, "text", static_cast<Note *>(data)->text.c_str());
}

/* The note comes from another device. Its activity is ours now, and on offer in its turn. */
static void restore(segue_responder *responder, segue_activity *activity, void *data) {
  auto note = static_cast<Note *>(data);
  char *text = nullptr;
  if (segue_activity_copy_string(activity, "text", &text) < 0) return;
  note->text = text;
  segue_free(text);
  segue_activity_unref(note->activity);
  note->activity = segue_activity_ref(activity);
  segue_responder_set_user_activity(responder, activity);
  std::cout << "restored: " << note->text << std::endl;
}

static bool resume(segue_application *, segue_activity *, segue_restoration *restoration, void *data) {
  return segue_restoration_restore(restoration, &static_cast<Note *>(data)->responder, 1) == 0;
}

bool Note::join() {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  methods.update_user_activity_state = save;
  methods.restore_user_activity_state = restore;
  delegate.continue_activity = resume;
  return segue_application_new("org.segue.NoteQt", nullptr, &app, nullptr) == 0 &&
         segue_responder_new(app, &methods, this, nullptr, &responder) == 0 &&
         segue_application_set_delegate(app, &delegate, this, nullptr) == 0 && segue_application_ready(app) == 0;
}

/* Reads a line; false at the end. The note is not saved yet: the library asks for it when another device does. */
bool Note::read() {
  if (!std::getline(std::cin, text)) return false;
  if (activity == nullptr && segue_activity_new(app, "org.segue.note-qt.writing", &activity, nullptr) == 0)
    segue_responder_set_user_activity(responder, activity);
  segue_activity_set_needs_save(activity, true);
  return true;
}

Note::~Note() {
  segue_activity_unref(activity);
  segue_responder_unref(responder);
  segue_application_unref(app);
}

/* All code that concerns Qt is in here. */
int main(int count, char **arguments) {
  QCoreApplication loop(count, arguments);
  Note note;
  std::setvbuf(stdin, nullptr, _IONBF, 0); /* a loop does not see lines that stdio has read ahead */
  if (!note.join()) return 1;

  QSocketNotifier ours(segue_application_get_fd(note.app), QSocketNotifier::Read);
  QObject::connect(&ours, &QSocketNotifier::activated, [&] { segue_application_dispatch(note.app); });

  /* Unlike the text, a title is sent to the other devices at once. So it is set only when the typing has stopped. */
  QTimer timer;
  timer.setSingleShot(true);
  timer.setInterval(500);
  QObject::connect(&timer, &QTimer::timeout, [&] { segue_activity_set_title(note.activity, note.text.c_str()); });

  QSocketNotifier input(STDIN_FILENO, QSocketNotifier::Read);
  input.setEnabled(!loop.arguments().contains("--service"));
  QObject::connect(&input, &QSocketNotifier::activated, [&] {
    if (note.read())
      timer.start();
    else
      loop.quit();
  });
  return loop.exec();
}
