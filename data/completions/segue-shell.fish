# Completion of segue-shell for fish.
complete -c segue-shell -n __fish_use_subcommand -l share -d 'Paired devices can continue the session'
complete -c segue-shell -n __fish_use_subcommand -l help -d 'Show how it is used'
complete -c segue-shell -n __fish_use_subcommand -l version -d 'Show the version'
complete -c segue-shell -n __fish_use_subcommand -f -a attach -d 'Look at a session'
complete -c segue-shell -n __fish_use_subcommand -f -a list -d 'Show the sessions'
complete -c segue-shell -n __fish_use_subcommand -f -a share -d 'Let paired devices continue a session'
complete -c segue-shell -n __fish_use_subcommand -f -a unshare -d 'End that'
complete -c segue-shell -n __fish_use_subcommand -f -a name -d 'Give a session another name'
complete -c segue-shell -n __fish_use_subcommand -f -a detach -d 'Put a viewer out'
complete -c segue-shell -n __fish_use_subcommand -x -l name -d 'A name for the session'
complete -c segue-shell -n __fish_use_subcommand -x -a '(__fish_complete_command)'
complete -c segue-shell -n '__fish_seen_subcommand_from attach share unshare name detach' -x \
  -a "(segue-shell list 2>/dev/null | cut -f 1 | string match -v '* *')"
