-- Starts Segue where the library is installed. `let g:loaded_segue = 1` in your configuration keeps it away.
if vim.g.loaded_segue then return end
vim.g.loaded_segue = 1
require("segue").start()
