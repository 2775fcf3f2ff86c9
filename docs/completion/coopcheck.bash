# bash completion for coopcheck
# Options are asked from coopcheck itself, so that they are always those of the installed one.
_coopcheck() {
    local current previous words cword
    _init_completion 2>/dev/null || {
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        current=${COMP_WORDS[COMP_CWORD]}
        previous=${COMP_WORDS[COMP_CWORD - 1]}
    }
    current=${words[cword]}
    previous=${words[cword - 1]}
    local commands="explore replay minimize show doctor help"
    local command="" i
    for ((i = 1; i < cword; i++)); do
        case " $commands " in
            *" ${words[i]} "*)
                command=${words[i]}
                break
                ;;
        esac
    done
    if [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$commands --help --version --verbose --log" -- "$current")
        return
    fi
    case $previous in
        --strategy | --timeouts | --checkpoints | --color | --log | --races | --points | --footprint | --noise | --noise-model)
            local line values
            line=$(coopcheck "$command" --help 2>/dev/null | grep -- "$previous" | head -n 1)
            # The help page has the values as a|b|c.
            values=$(grep -o '[a-z-]*|[a-z|-]*' <<<"$line" | head -n 1 | tr '|' ' ')
            mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
            return
            ;;
        --out | --history)
            mapfile -t COMPREPLY < <(compgen -d -- "$current")
            return
            ;;
    esac
    if [[ $current == -* ]]; then
        local options
        options=$(coopcheck "$command" --help 2>/dev/null | grep -oE -- '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,')
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    elif [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "terms" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _coopcheck coopcheck
