import type { CommandGroup } from './command-group.js';
import { bashCompletion } from './completion/bash.js';
import { fishCompletion } from './completion/fish.js';
import { commandWords, type CommandWords } from './completion/words.js';
import { zshCompletion } from './completion/zsh.js';

const SHELLS: Record<string, { script: (commands: CommandWords[]) => string; calls: string[] }> = {
  bash: {
    script: bashCompletion,
    calls: ['completion bash > ~/.local/share/bash-completion/completions/topup'],
  },
  zsh: { script: zshCompletion, calls: ['completion zsh > "${fpath[1]}/_topup"'] },
  fish: { script: fishCompletion, calls: ['completion fish > ~/.config/fish/completions/topup.fish'] },
};

export const completionCommands: CommandGroup = {
  features: {},
  define(completion, { answer, wholeProgram }) {
    for (const [shell, { script, calls }] of Object.entries(SHELLS)) {
      completion
        .command(shell)
        .description(`Print the completion script for ${shell}.`)
        .examples(...calls)
        .action(async () => {
          const text = script(commandWords(await wholeProgram()));
          answer({ json: { shell, script: text }, text: () => text });
        });
    }
  },
};
