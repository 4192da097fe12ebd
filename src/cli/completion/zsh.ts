import { quote, valueWords, type CommandWords } from './words.js';

/** Script for zsh: completes commands, subcommands and options with their descriptions. */
export const zshCompletion = (commands: CommandWords[]): string => `#compdef topup
# Completes topup in zsh.
# Try it:   source <(topup completion zsh)
# Keep it:  topup completion zsh > "\${fpath[1]}/_topup"
_topup_command() {
  case "$1" in
${commands.map(entry).join('\n')}
    *) return 1 ;;
  esac
}

_topup_takes_value() {
  case "$1" in
${commands
  .flatMap(valueWords)
  .map((words) => `    ${quote(words)}) return 0 ;;`)
  .join('\n')}
    *) return 1 ;;
  esac
}

_topup() {
  local command='' previous='' word
  local -a subcommands options
  local takes_file=0 i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if _topup_takes_value "$command $previous"; then
      previous=''
      continue
    fi
    previous="$word"
    if [[ $word == help && -z $command ]]; then continue; fi
    if [[ $word != -* ]] && _topup_command "\${command:+$command }$word"; then
      command="\${command:+$command }$word"
    fi
  done
  if _topup_takes_value "$command $previous"; then
    _message 'value'
    return
  fi
  _topup_command "$command"
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o 'option' options
  else
    (( takes_file )) && _files
    (( \${#subcommands} )) && _describe 'command' subcommands || _describe -o 'option' options
  fi
}

if [[ \${funcstack[1]} == _topup ]]; then _topup "$@"; else compdef _topup topup; fi
`;

function entry({ path, subcommands, options, takesFile }: CommandWords): string {
  const commandLines = subcommands.map(({ name, summary }) => described(name, summary));
  const optionLines = options.flatMap(({ flags, summary }) => flags.map((flag) => described(flag, summary)));
  return `    ${quote(path)})
      subcommands=(${commandLines.join(' ')})
      options=(${optionLines.join(' ')})
      takes_file=${takesFile ? 1 : 0}
      ;;`;
}

/** A colon ends the word, so colons in the word are escaped. */
const described = (word: string, summary: string): string =>
  quote(`${word.replaceAll(':', '\\:')}:${summary.replaceAll('\n', ' ')}`);
