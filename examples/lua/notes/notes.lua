#!/usr/bin/luajit
-- `segue-notes-lua TEXT` offers a note to the user's other devices, and goes on with one that comes from there.
-- No binding: what is called is declared by hand, as in include/segue.

local ffi = require "ffi"

ffi.cdef [[
typedef struct segue_application segue_application;
typedef struct segue_activity segue_activity;
typedef struct segue_responder segue_responder;
typedef struct segue_restoration segue_restoration;

typedef struct {
  uint32_t struct_size, reserved;
  void (*update)(segue_responder *, segue_activity *, void *);
  void (*restore)(segue_responder *, segue_activity *, void *);
} segue_responder_methods;

/* A struct may end after the last member that is used: the library takes it for that of an older header. */
typedef struct {
  uint32_t struct_size, reserved;
  void *will_continue;
  bool (*continue_activity)(segue_application *, segue_activity *, segue_restoration *, void *);
} segue_application_delegate;

int segue_application_new(const char *id, const void *options, segue_application **out, void *error);
void segue_application_delegate_init(segue_application_delegate *delegate, uint32_t size);
int segue_application_set_delegate(
  segue_application *app, const segue_application_delegate *delegate, void *userdata, void *destroy);
int segue_application_ready(segue_application *app);
int segue_application_run(segue_application *app);
void segue_responder_methods_init(segue_responder_methods *methods, uint32_t size);
int segue_responder_new(
  segue_application *app, const segue_responder_methods *methods, void *userdata, void *destroy, segue_responder **out);
int segue_responder_set_user_activity(segue_responder *responder, segue_activity *activity);
int segue_restoration_restore(segue_restoration *restoration, segue_responder **responders, size_t count);
int segue_activity_new(segue_application *app, const char *type, segue_activity **out, void *error);
segue_activity *segue_activity_unref(segue_activity *activity);
int segue_activity_set_title(segue_activity *activity, const char *title);
int segue_activity_set_needs_save(segue_activity *activity, bool needs_save);
int segue_activity_add_string(segue_activity *activity, const char *key, const char *string);
int segue_activity_copy_string(const segue_activity *activity, const char *key, char **out);
void segue_free(void *memory);
]]
local segue = ffi.load "libsegue.so.0"

local text = arg[1]
local app = ffi.new "segue_application *[1]"
local responder = ffi.new "segue_responder *[1]"
io.stdout:setvbuf "line"

if segue.segue_application_new("org.segue.NotesLua", nil, app, nil) < 0 then os.exit(1) end

-- A Lua function becomes a C function where it is assigned, and has what it needs in its scope.
local methods = ffi.new "segue_responder_methods"
segue.segue_responder_methods_init(methods, ffi.sizeof(methods))
methods.update = function(_, activity) segue.segue_activity_add_string(activity, "text", text) end
methods.restore = function(restoring, activity)
  local out = ffi.new "char *[1]"
  if segue.segue_activity_copy_string(activity, "text", out) < 0 then return end
  text = ffi.string(out[0])
  segue.segue_free(out[0])
  segue.segue_responder_set_user_activity(restoring, activity)
  print("restored: " .. text)
end
segue.segue_responder_new(app[0], methods, nil, nil, responder)

local delegate = ffi.new "segue_application_delegate"
segue.segue_application_delegate_init(delegate, ffi.sizeof(delegate))
delegate.continue_activity = function(_, _, restoration)
  return segue.segue_restoration_restore(restoration, responder, 1) == 0
end
segue.segue_application_set_delegate(app[0], delegate, nil, nil)
segue.segue_application_ready(app[0])

local activity = ffi.new "segue_activity *[1]"
if text and segue.segue_activity_new(app[0], "org.segue.notes-lua.writing", activity, nil) == 0 then
  segue.segue_activity_set_title(activity[0], text)
  segue.segue_activity_set_needs_save(activity[0], true)
  segue.segue_responder_set_user_activity(responder[0], activity[0])
  segue.segue_activity_unref(activity[0])
end
-- In a loop of your own: jit.off(f) for the function that calls dispatch. Compiled, it dies of the first callback.
segue.segue_application_run(app[0])
