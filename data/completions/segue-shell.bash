# Completion of segue-shell for bash.
_segue_shell() {
  local word=${COMP_WORDS[COMP_CWORD]} place=1
  while ((place < COMP_CWORD)); do
    case ${COMP_WORDS[place]} in
      --share) place=$((place + 1)) ;;
      --name) place=$((place + 2)) ;;
      *) break ;;
    esac
  done
  if ((COMP_CWORD == place)); then
    if [[ $word == -* ]]; then
      mapfile -t COMPREPLY < <(compgen -W '--share --name --help --version' -- "$word")
    else
      mapfile -t COMPREPLY < <(compgen -W 'attach list share unshare name detach' -- "$word"; compgen -c -- "$word")
    fi
    return
  fi
  case ${COMP_WORDS[place]} in
    attach | share | unshare | name | detach)
      # Without a session there is a sentence.
      mapfile -t COMPREPLY < <(compgen -W "$(segue-shell list 2>/dev/null | cut -f 1 | grep -v ' ')" -- "$word")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -F _segue_shell segue-shell
