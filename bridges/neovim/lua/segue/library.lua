-- libsegue, declared as in include/segue, with text and numbers as Lua has them.

local ffi = require "ffi"

ffi.cdef [[
typedef struct segue_application segue_application;
typedef struct segue_activity segue_activity;
typedef struct segue_restoration segue_restoration;

/* A struct may end after the last member that is used: the library takes it for that of an older header. */
typedef struct {
  uint32_t struct_size, reserved;
  void *will_continue;
  bool (*continue_activity)(segue_application *, segue_activity *, segue_restoration *, void *);
} segue_application_delegate;
typedef struct {
  uint32_t struct_size, reserved;
  void (*will_save)(segue_activity *, void *);
  void (*was_continued)(segue_activity *, void *);
} segue_activity_delegate;

int segue_application_new(const char *id, const void *options, segue_application **out, void *error);
segue_application *segue_application_unref(segue_application *app);
int segue_application_set_delegate(
  segue_application *app, const segue_application_delegate *delegate, void *userdata, void *destroy);
int segue_application_ready(segue_application *app);
int segue_application_get_fd(const segue_application *app);
int segue_application_dispatch(segue_application *app);
int segue_activity_new(segue_application *app, const char *type, segue_activity **out, void *error);
segue_activity *segue_activity_ref(segue_activity *activity);
segue_activity *segue_activity_unref(segue_activity *activity);
int segue_activity_set_delegate(
  segue_activity *activity, const segue_activity_delegate *delegate, void *userdata, void *destroy);
int segue_activity_set_title(segue_activity *activity, const char *title);
int segue_activity_set_needs_save(segue_activity *activity, bool needs_save);
int segue_activity_set_user_info(segue_activity *activity, const void *dictionary);
int segue_activity_become_current(segue_activity *activity);
int segue_activity_resign_current(segue_activity *activity);
int segue_activity_invalidate(segue_activity *activity);
int segue_activity_add_string(segue_activity *activity, const char *key, const char *string);
int segue_activity_add_url(segue_activity *activity, const char *key, const char *url);
int segue_activity_add_integer(segue_activity *activity, const char *key, int64_t integer);
int segue_activity_add_bool(segue_activity *activity, const char *key, bool boolean);
int segue_activity_copy_string(const segue_activity *activity, const char *key, char **out);
int segue_activity_get_integer(const segue_activity *activity, const char *key, int64_t *out);
void segue_free(void *memory);
]]

local M = { C = ffi.load "libsegue.so.0" }

-- Text of userInfo; nil where there is none.
function M.text(activity, key)
  local out = ffi.new "char *[1]"
  if M.C.segue_activity_copy_string(activity, key, out) < 0 then return nil end
  local text = ffi.string(out[0])
  M.C.segue_free(out[0])
  return text
end

-- A whole number of userInfo, in a range; nil where there is none.
function M.number(activity, key, low, high)
  local out = ffi.new "int64_t[1]"
  if M.C.segue_activity_get_integer(activity, key, out) < 0 then return nil end
  return math.min(math.max(tonumber(out[0]), low), high)
end

-- A delegate whose Lua functions live as long as it does.
function M.delegate(kind, functions)
  local delegate = ffi.new(kind)
  delegate.struct_size = ffi.sizeof(kind)
  for name, body in pairs(functions) do delegate[name] = body end
  return delegate
end

-- Once for all kinds of objects: the first argument of an out-parameter.
function M.out(kind) return ffi.new(kind .. " *[1]") end

return M
