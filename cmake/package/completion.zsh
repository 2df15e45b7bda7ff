#compdef headlight-train headlight-heads headlight-predict headlight-ablate headlight-bench
# zsh's completion for Headlight's programs, as completion.bash.

setopt local_options extended_glob
local program=${commands[$words[1]]:-$words[1]} key
local share=${program:h}/../share/headlight
local -a found=(${(f)"$(<$share/words/${program:t})"}) configs
local before=$words[CURRENT-1] verb=${words[2]}
local -a verbs=(${(M)found:#[a-z]##})
((${verbs[(Ie)$verb]})) || verb=table
found=(${${(M)found:#$verb --*}#$verb } ${found:#* --*})

if [[ $PREFIX == *=* ]]; then
    key=${PREFIX%%=*}
    compset -P '*='
    found=(${(M)found:#$key=?*})
    compadd -- ${found#$key=} || _files
elif [[ $PREFIX == -* ]]; then
    compadd -- ${${(M)found:#-*}%=}
elif [[ -n ${(M)found:#$before=} ]] || ((CURRENT == 2)); then
    configs=($share/configs/*.ini(N:t))
    ((CURRENT > 2)) || compadd -- $configs $verbs
    _files
else
    compadd -S '' -- ${(M)found:#[^-]*=} || _files
fi
