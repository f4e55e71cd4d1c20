-- A place in a text: what is written of it, and where it is found again.

local M = {}

local CONTEXT = 40 -- scalars on each side

-- The column, from 1 in scalars, of a byte's offset in a line; and the offset of a column.
function M.column(line, offset) return vim.str_utfindex(line, math.min(math.max(offset, 0), #line)) + 1 end
function M.offset(line, column)
  local scalars = vim.str_utfindex(line)
  return vim.str_byteindex(line, math.min(math.max(column - 1, 0), scalars))
end

-- The text before and after a byte's offset.
function M.context(line, offset)
  local column = M.column(line, offset)
  return line:sub(M.offset(line, column - CONTEXT) + 1, offset), line:sub(offset + 1, M.offset(line, column + CONTEXT))
end

-- The line, from 1, and the byte's offset at which the context stands, as near to `line` as possible; nil where nowhere.
function M.find(lines, line, before, after)
  local wanted = before .. after
  if wanted:match "^%s*$" then return nil end
  local found, nearest
  for number, text in ipairs(lines) do
    local start = text:find(wanted, 1, true)
    local far = math.abs(number - (line or number))
    if start and (not nearest or far < nearest) then
      found, nearest = { number, start - 1 + #before }, far
    end
  end
  return found and found[1], found and found[2]
end

return M
