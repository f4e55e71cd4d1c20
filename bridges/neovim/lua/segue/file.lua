-- Which file an address names, and what else is known of one.

local M = {}

-- Bytes of a file that is opened for another device: a larger one would hold the editor up.
M.LARGEST = 64 * 1024 * 1024

local function run(folder, ...)
  local command = { "git", "-C", folder, ... }
  local said = vim.fn.system(command)
  return vim.v.shell_error == 0 and vim.trim(said) or nil
end

-- A git remote as host/path, without a scheme, a user and ".git".
function M.repository(remote)
  local host, path = remote:match "^[%w+.-]+://([^/]+)/(.+)$"
  if not host then host, path = remote:match "^([^/%s]+):([^/].*)$" end
  if not host or remote:match "^file:" then return nil end
  host = host:gsub("^.*@", ""):gsub(":%d+$", ""):lower()
  return host .. "/" .. path:gsub("/+$", ""):gsub("%.git$", "")
end

-- Facts that git knows of a file; empty outside of a repository.
function M.origin(path)
  local folder = vim.fn.fnamemodify(path, ":h")
  local top = vim.fn.executable "git" == 1 and run(folder, "rev-parse", "--show-toplevel")
  if not top then return {} end
  local remote = run(folder, "remote", "get-url", "origin")
  return {
    repository = remote and M.repository(remote),
    path = vim.fn.resolve(path):sub(1, #top + 1) == top .. "/" and vim.fn.resolve(path):sub(#top + 2) or nil,
    branch = run(folder, "symbolic-ref", "--short", "HEAD"),
    head = run(folder, "rev-parse", "HEAD"),
  }
end

-- The path that a URL of another device names on this one; nil, and why, where there is no such file to be opened.
function M.path(url)
  if not url or #url > 8192 or url:find "[%c ]" then return nil, "the address is not a file's" end
  local host, path = url:match "^file://([^/]*)(/[^?#]*)$"
  if not host or (host ~= "" and host ~= "localhost") then return nil, "the address is none of a file here" end
  path = path:gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end)
  if path:find "%c" or ("/" .. path .. "/"):find("/../", 1, true) then return nil, "the path is not plain" end
  local status = vim.loop.fs_stat(path)
  if not status then return nil, "the file is not on this device" end
  if status.type ~= "file" then return nil, "it is not a regular file" end
  -- Files of the kernel are regular too, and some never end.
  local real = vim.loop.fs_realpath(path) or ""
  if real:find "^/proc/" or real:find "^/sys/" then return nil, "it is a file of the kernel" end
  if status.size > M.LARGEST then return nil, "the file is larger than " .. M.LARGEST / 2 ^ 20 .. " MiB" end
  return path
end

return M
