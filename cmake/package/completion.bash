# bash's completion for Headlight's programs: options, keys of a config and their values, shipped configs. The words are
# those that the programs themselves told when they were built.

_headlight() {
    local program before=$3 word=${COMP_LINE:0:COMP_POINT} share words verb
    word=${word##*[[:space:]]} # COMP_WORDS has model.heads=8 in three
    program=$(type -P -- "$1") || return
    share=${program%/*}/../share/headlight
    words=$share/words/${program##*/}
    verb=$(grep -xF -- "${COMP_WORDS[1]}" "$words") || verb=table
    COMPREPLY=()
    case $word in
    *=*)
        COMPREPLY=($(compgen -W "$(grep '=.' "$words")" -- "$word"))
        [[ $COMP_WORDBREAKS != *=* ]] || COMPREPLY=("${COMPREPLY[@]#*=}")
        ;;
    -*) COMPREPLY=($(compgen -W "$(sed -n "s/^\($verb \)\?\(--[^=]*\)=*\$/\2/p" "$words")" -- "$word")) ;;
    *)
        if grep -qx -- "\($verb \)\?$before=" "$words"; then # the value of an option: a file
            return
        elif ((COMP_CWORD == 1)); then
            compopt -o filenames
            COMPREPLY=($(cd "$share/configs" && compgen -f -X '!*.ini' -- "$word") $(compgen -f -- "$word")
                $(compgen -W "$(grep -x '[a-z]*' "$words")" -- "$word"))
        else
            compopt -o nospace
            COMPREPLY=($(compgen -W "$(grep '^[^- ]*=$' "$words")" -- "$word"))
        fi
        ;;
    esac
}

# Where nothing is found: files.
complete -o default -F _headlight headlight-train headlight-heads headlight-predict headlight-ablate headlight-bench
