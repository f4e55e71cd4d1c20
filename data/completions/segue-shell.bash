# Completion of segue-shell for bash.
_segue_shell() {
  local word=${COMP_WORDS[COMP_CWORD]} place=1
  while [[ ${COMP_WORDS[place]} == --share ]] && ((place < COMP_CWORD)); do place=$((place + 1)); done
  if ((COMP_CWORD == place)); then
    if [[ $word == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W '--share --help --version' -- "$word")
    else
      mapfile -t COMPREPLY < <(compgen -W 'attach list' -- "$word"; compgen -c -- "$word")
    fi
  elif [[ ${COMP_WORDS[place]} == attach ]]; then
    # Without a session there is a sentence.
    mapfile -t COMPREPLY < <(compgen -W "$(segue-shell list 2>/dev/null | cut -f 1 | grep -v ' ')" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _segue_shell segue-shell
