-- The text that you edit goes on at another device: org.segue.open.Text, which any editor there may take
-- (docs/open-types.md). One activity at a time is on offer, that of the file in the current window.

local M = {}

local TYPE = "org.segue.open.Text"
local application, activity, current
-- Lua functions that C calls: they must stay.
local kept = {}

local function say(text) vim.notify("segue: " .. text, vim.log.levels.WARN) end

-- A function whose errors are shown, and count as `otherwise`.
local function guarded(otherwise, body)
  return function(...)
    local fine, result = pcall(body, ...)
    if fine then return result end
    say(tostring(result))
    return otherwise
  end
end

-- The window that shows a buffer, one of the current tab page first; nil for none.
local function window_of(buffer)
  local here = vim.fn.bufwinid(buffer)
  if here ~= -1 then return here end
  return vim.fn.win_findbuf(buffer)[1]
end

-- Writes the place in the current window, when somebody asks for it.
local function save(saved)
  local segue, place = kept.library, require "segue.place"
  local path = current and vim.api.nvim_buf_get_name(current) or ""
  if path == "" then return end
  local window = window_of(current)
  local at = window and vim.api.nvim_win_get_cursor(window) or { vim.fn.line "'\"", 0 }
  local line = vim.api.nvim_buf_get_lines(current, at[1] - 1, at[1], false)[1] or ""
  local before, after = place.context(line, at[2])
  segue.C.segue_activity_add_url(saved, "uri", vim.uri_from_fname(path))
  segue.C.segue_activity_add_integer(saved, "line", at[1])
  segue.C.segue_activity_add_integer(saved, "column", place.column(line, at[2]))
  segue.C.segue_activity_add_string(saved, "before", before)
  segue.C.segue_activity_add_string(saved, "after", after)
  segue.C.segue_activity_add_bool(saved, "unsaved", vim.bo[current].modified)
  for key, value in pairs(require("segue.file").origin(path)) do segue.C.segue_activity_add_string(saved, key, value) end
end

local function withdraw()
  if activity then
    kept.library.C.segue_activity_invalidate(activity)
    kept.library.C.segue_activity_unref(activity)
  end
  activity, current = nil, nil
end

-- The file of the current window is what the user does now.
local function offer(buffer)
  if vim.bo[buffer].buftype ~= "" or vim.api.nvim_buf_get_name(buffer) == "" then return end
  if buffer == current then
    kept.library.C.segue_activity_become_current(activity)
    return
  end
  withdraw()
  local segue = kept.library
  local out = segue.out "segue_activity"
  if segue.C.segue_activity_new(application, TYPE, out, nil) < 0 then return end
  activity, current = out[0], buffer
  segue.C.segue_activity_set_title(activity, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":t"):sub(1, 500))
  segue.C.segue_activity_set_delegate(activity, kept.saving, nil, nil)
  segue.C.segue_activity_set_needs_save(activity, true)
  segue.C.segue_activity_become_current(activity)
end

-- The place in a buffer's lines at which an activity goes on: the context counts more than the number.
local function found(at, lines)
  local place = require "segue.place"
  local line = at.line and math.min(at.line, math.max(#lines, 1))
  local number, offset = place.find(lines, line, at.before or "", at.after or "")
  if number then return number, offset end
  return line or 1, place.offset(lines[line or 1] or "", at.column or 1)
end

-- Goes to the place at which an activity goes on, in the current window.
local function go(line, offset)
  vim.cmd "normal! m'"
  vim.api.nvim_win_set_cursor(0, { line, offset })
  vim.cmd "normal! zvzz"
  offer(vim.api.nvim_get_current_buf())
end

-- Shows a file at a place. Here and now is not thrown away: a file that is open at a later line asks.
local function open(path, at)
  local window = window_of(vim.fn.bufnr("^" .. vim.fn.escape(path, "\\[]^$.*~?,{}") .. "$"))
  if window then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd("hide edit " .. vim.fn.fnameescape(path))
  end
  local line, offset = found(at, vim.api.nvim_buf_get_lines(0, 0, -1, false))
  local here = vim.api.nvim_win_get_cursor(0)[1]
  if not window or here <= line then return go(line, offset) end
  M.confirm("Go back from line " .. here .. " to " .. line .. "?", guarded(nil, function(is_fine)
    if not is_fine or not vim.api.nvim_win_is_valid(window) then return end
    vim.api.nvim_set_current_win(window)
    go(math.min(line, vim.api.nvim_buf_line_count(0)), offset)
  end))
end

-- Takes what comes from another device. It is opened after the library's call, in which nobody is asked: others wait.
local function resume(arrived)
  local segue = kept.library
  local path, why = require("segue.file").path(segue.text(arrived, "uri"))
  if not path then
    say(why)
    return false
  end
  local at = {
    line = segue.number(arrived, "line", 1, 2 ^ 31), column = segue.number(arrived, "column", 1, 2 ^ 31),
    before = segue.text(arrived, "before"), after = segue.text(arrived, "after"),
  }
  vim.schedule(guarded(nil, function() if application then open(path, at) end end))
  return true
end

-- Asks, and calls back with the answer. Replace it to answer by yourself. It is a window, since Neovim does nothing else,
-- and so saves nothing, while confirm() waits.
function M.confirm(question, answered)
  local text = question .. " [y/n]"
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { text })
  vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = "wipe", false
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor", row = math.max(0, math.floor(vim.o.lines / 2) - 2), col = 2,
    width = math.min(#text, math.max(1, vim.o.columns - 6)), height = 1, style = "minimal", border = "single",
  })
  local is_open = true
  local function close(is_fine)
    if not is_open then return end
    is_open = false
    pcall(vim.api.nvim_win_close, window, true)
    answered(is_fine)
  end
  for key, is_fine in pairs { y = true, n = false, q = false, ["<Esc>"] = false } do
    vim.keymap.set({ "n", "i" }, key, function() close(is_fine) end, { buffer = buffer, nowait = true })
  end
  vim.api.nvim_create_autocmd("BufLeave", { buffer = buffer, once = true, callback = function()
    vim.schedule(function() close(false) end)
  end })
end

-- The text on offer, for statuslines and tests; nil for none.
function M.offered() return current and vim.api.nvim_buf_get_name(current) or nil end

function M.start()
  if application then return true end
  local there, library = pcall(require, "segue.library")
  if not there then return false end
  local out = library.out "segue_application"
  if library.C.segue_application_new("org.segue.Neovim", nil, out, nil) < 0 then
    say "it cannot start: the system gives no descriptor"
    return false
  end
  application, kept.library = out[0], library
  kept.saving = library.delegate("segue_activity_delegate", { will_save = guarded(nil, save) })
  kept.delegate = library.delegate("segue_application_delegate", {
    continue_activity = guarded(false, function(_, arrived) return resume(arrived) end),
  })
  library.C.segue_application_set_delegate(application, kept.delegate, nil, nil)
  local function dispatch() library.C.segue_application_dispatch(application) end
  -- Compiled, it dies of the first callback.
  jit.off(dispatch)
  kept.poll = vim.loop.new_poll(library.C.segue_application_get_fd(application))
  kept.poll:start("r", vim.schedule_wrap(function() if application then dispatch() end end))
  library.C.segue_application_ready(application)

  local group = vim.api.nvim_create_augroup("segue", {})
  local function on(events, body) vim.api.nvim_create_autocmd(events, { group = group, callback = body }) end
  on({ "BufEnter", "BufWritePost", "BufFilePost" }, function(event) offer(event.buf) end)
  on({ "CursorMoved", "CursorMovedI", "TextChanged", "TextChangedI" }, function(event)
    if event.buf == current then library.C.segue_activity_set_needs_save(activity, true) end
  end)
  on("BufDelete", function(event) if event.buf == current then withdraw() end end)
  on("VimLeavePre", M.stop)
  offer(vim.api.nvim_get_current_buf())
  return true
end

function M.stop()
  if not application then return end
  withdraw()
  vim.api.nvim_del_augroup_by_name "segue"
  kept.poll:stop()
  kept.poll:close()
  kept.library.C.segue_application_unref(application)
  application = nil
end

return M
