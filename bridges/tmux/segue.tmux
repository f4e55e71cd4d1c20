#!/bin/sh
# The folder and the session that you look at in tmux go on at your other devices (docs/shell.md). TPM runs this, or a line
# in tmux.conf: run-shell /path/to/bridges/tmux/segue.tmux
folder=$(cd "$(dirname "$0")" && pwd)
# A helper that is there already follows this server too: tmux signals it at each of these hooks, and nothing is polled.
for hook in client-attached client-detached client-session-changed session-window-changed window-pane-changed \
  session-renamed session-closed client-focus-in; do
  # The number keeps apart what you have for the same hook.
  tmux set-hook -g "${hook}[533]" "wait-for -S segue"
done
nohup "$folder/segue-tmux" follow >/dev/null 2>&1 </dev/null &
