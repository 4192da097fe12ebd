import { quote, valueWords, type CommandWords } from './words.js';

/**
 * Script for bash 3.2 and newer: completes commands, subcommands and options. Where the script offers nothing, bash completes
 * files by itself: only bash can put blanks in their names into the line as parts of one word.
 */
export const bashCompletion = (commands: CommandWords[]): string => `# Completes topup in bash.
# Try it:   source <(topup completion bash)
# Keep it:  topup completion bash > ~/.local/share/bash-completion/completions/topup
_topup_words() {
  case "$1" in
${commands.map((each) => `    ${quote(each.path)}) echo ${quote(wordsOf(each).join(' '))} ;;`).join('\n')}
    *) return 1 ;;
  esac
}

_topup_takes_value() {
  case "$1" in
${commands
  .map((each) => valueWords(each).map(quote))
  .filter((words) => words.length > 0)
  .map((words) => `    ${words.join('|')}) return 0 ;;`)
  .join('\n')}
    *) return 1 ;;
  esac
}

_topup() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' previous='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if _topup_takes_value "$path $previous"; then
      previous=''
      continue
    fi
    previous="$word"
    if [[ $word == help && -z $path ]]; then continue; fi
    if [[ $word != -* ]] && _topup_words "\${path:+$path }$word" > /dev/null; then path="\${path:+$path }$word"; fi
  done
  if _topup_takes_value "$path $previous"; then return; fi
  case "$path" in
${commands
  .filter(({ takesFile }) => takesFile)
  .map(({ path }) => `    ${quote(path)}) if [[ $current != -* ]]; then return; fi ;;`)
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$(_topup_words "$path")" -- "$current"))
}

complete -o bashdefault -o default -F _topup topup
`;

const wordsOf = ({ subcommands, options }: CommandWords): string[] => [
  ...subcommands.map(({ name }) => name),
  ...options.flatMap(({ flags }) => flags.filter((flag) => flag.startsWith('--'))),
];
