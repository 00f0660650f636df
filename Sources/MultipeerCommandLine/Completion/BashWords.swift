/// What follows the completion script of ArgumentParser for bash, so that addresses can be completed.
enum BashWords {
    /// - Parameter name: The program, for which ArgumentParser has generated functions of this name.
    static func script(of name: String) -> String {
        #"""

        # bash splits words at ":" (COMP_WORDBREAKS), and so HOST:PORT. This joins them for the functions above. It takes from what
        # these offer the part up to the last colon, because bash replaces only what is after it.
        __\#(name)_whole_words() {
            local -a whole=()
            local -i index offset=0 start=0 current=0
            local rest=${COMP_LINE} gap='' piece='' before='' word=''
            for index in "${!COMP_WORDS[@]}"; do
                piece=${COMP_WORDS[index]}
                gap=${rest%%[![:space:]]*}
                rest=${rest:${#gap}}
                offset+=${#gap}
                if [[ ${rest} != "${piece}"* ]]; then
                    # The words are not those of the line, as within <(…).
                    _\#(name) "$@"
                    return
                fi
                if [[ ${#whole[@]} -gt 0 && -z ${gap} && (${piece} == :* || ${before} == *:) ]]; then
                    whole[${#whole[@]} - 1]+=${piece}
                else
                    whole+=("${piece}")
                    start=offset
                fi
                if [[ ${index} -eq ${COMP_CWORD} ]]; then
                    current=${#whole[@]}-1
                    [[ ${COMP_POINT} -le ${start} ]] || word=${COMP_LINE:start:COMP_POINT-start}
                fi
                before=${piece}
                rest=${rest:${#piece}}
                offset+=${#piece}
            done
            local -a COMP_WORDS=("${whole[@]}")
            local -i COMP_CWORD=current
            local previous=''
            [[ ${current} -eq 0 ]] || previous=${whole[current - 1]}
            _\#(name) "$1" "${word}" "${previous}"
            __\#(name)_behind_colon "${word}"
        }

        __\#(name)_behind_colon() {
            local -i index
            local prefix=''
            [[ $1 != *:* || ${COMP_WORDBREAKS} != *:* ]] || prefix=${1%"${1##*:}"}
            for index in "${!COMPREPLY[@]}"; do
                # An address is no file: nothing is quoted in it, and no slash added.
                [[ ${COMPREPLY[index]} != *:* || -e ${COMPREPLY[index]} ]] || compopt +o filenames 2>/dev/null
                COMPREPLY[index]=${COMPREPLY[index]#"${prefix}"}
            done
        }

        complete -o filenames -F __\#(name)_whole_words \#(name)
        """#
    }
}
