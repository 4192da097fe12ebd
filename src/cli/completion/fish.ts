import { valueWords, type CommandWords } from './words.js';

/** Script for fish 3 and newer: completes commands, subcommands and options with their descriptions. */
export const fishCompletion = (commands: CommandWords[]): string => `# Completes topup in fish.
# Try it:   topup completion fish | source
# Keep it:  topup completion fish > ~/.config/fish/completions/topup.fish
set -g __topup_commands ${commands
  .filter(({ path }) => path !== '')
  .map(({ path }) => quote(path))
  .join(' ')}
set -g __topup_value_flags ${commands.flatMap(valueWords).map(quote).join(' ')}

function __topup_at --description 'Whether the words before the cursor are this command'
    set -l path ''
    set -l previous ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $previous" $__topup_value_flags
            set previous ''
            continue
        end
        set previous $word
        set -l longer (string trim -- "$path $word")
        if contains -- $longer $__topup_commands
            set path $longer
        end
    end
    test "$path" = "$argv[1]"
end

complete -c topup -f
${commands.flatMap(linesOf).join('\n')}
`;

function linesOf({ path, subcommands, options, takesFile }: CommandWords): string[] {
  const at = `complete -c topup -n ${quote(`__topup_at ${quote(path)}`)}`;
  return [
    ...subcommands.map(({ name, summary }) => `${at} -a ${quote(name)} -d ${quote(summary)}`),
    ...options.map(
      ({ flags, summary, takesValue }) =>
        `${at} ${flags.map(fishFlag).join(' ')}${takesValue ? ' -x' : ''} -d ${quote(summary)}`,
    ),
    ...(takesFile ? [`${at} -F`] : []),
  ];
}

const fishFlag = (flag: string): string => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`);

/** Quotes text as one word of fish, which has two escapes inside single quotes. */
const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
