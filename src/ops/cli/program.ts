import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import type { Act, CommandGroup } from './command-group.js';
import { print, type Result } from './output.js';

/** Each group is loaded when it is asked for: most of a command's second goes into loading code. */
const GROUPS: Record<string, { summary: string; load: () => Promise<CommandGroup> }> = {
  merchant: {
    summary: 'Add, list, suspend and resume merchants',
    load: async () => (await import('./merchant.commands.js')).merchantCommands,
  },
  'api-key': {
    summary: 'Issue, list, revoke and rotate API keys',
    load: async () => (await import('./api-key.commands.js')).apiKeyCommands,
  },
  wallet: {
    summary: 'Put money into a merchant’s wallet, or take it out',
    load: async () => (await import('./wallet.commands.js')).walletCommands,
  },
  supplier: {
    summary: 'Set and list suppliers',
    load: async () => (await import('./supplier.commands.js')).supplierCommands,
  },
  product: {
    summary: 'Set, import and list products',
    load: async () => (await import('./product.commands.js')).productCommands,
  },
  price: {
    summary: 'Set and clear a merchant’s own prices',
    load: async () => (await import('./price.commands.js')).priceCommands,
  },
  order: {
    summary: 'Show, list and resolve orders',
    load: async () => (await import('./order.commands.js')).orderCommands,
  },
  webhook: {
    summary: 'List and replay deliveries to a merchant’s webhooks',
    load: async () => (await import('./webhook.commands.js')).webhookCommands,
  },
  secrets: {
    summary: 'Move stored secrets to a new SECRETS_KEY',
    load: async () => (await import('./secrets.commands.js')).secretsCommands,
  },
  audit: {
    summary: 'Check every invariant of the books',
    load: async () => (await import('./audit.commands.js')).auditCommands,
  },
};

const EPILOGUE = `
topup help <command> shows a command's options and an example.
DATABASE_URL names the database; without it, the local stack that npm start runs on this checkout is used.
On a checkout: npm run -s topup -- <command>
`;

/**
 * Carries out one command: its result goes to standard output, problems go to standard error.
 * @returns the exit code: 0, or 1 when the command was refused, failed, or found something bad.
 */
export async function runCommandLine(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { program, result } = await buildProgram(args, env);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander has said what is wrong with the line, or has printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode;
    const { problemInWords } = await import('./problems.js');
    process.stderr.write(`error: ${problemInWords(error)}\n`);
    if (/^(debug|trace)$/.test(env.LOG_LEVEL ?? '')) process.stderr.write(`${inspect(error)}\n`);
    return 1;
  }
  const { json, text, ok = true } = result();
  await print(program.opts<{ json?: boolean }>().json ? JSON.stringify(json) : text());
  return ok ? 0 : 1;
}

interface Program {
  program: Command;
  /** What the command that was carried out has to print. */
  result: () => Result;
}

async function buildProgram(args: string[], env: NodeJS.ProcessEnv): Promise<Program> {
  let printed: Result | undefined;
  const program = new Command('topup')
    .description('The operator’s command line of the order top-up service.')
    .option('--json', 'print the result as one JSON value')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EPILOGUE)
    .exitOverride();
  const asked = args.filter((arg) => !arg.startsWith('-')).find((word) => word !== 'help');
  for (const [name, { summary, load }] of Object.entries(GROUPS)) {
    const command = program.command(name).description(summary);
    if (name !== asked) continue;
    const { features, define } = await load();
    const act: Act =
      (work, load) =>
      async (...given) => {
        const { openSession } = await import('./session.js');
        const app = await openSession(env, load ? await load() : features);
        try {
          printed = await work(app, ...given);
        } finally {
          await app.close();
        }
      };
    define(command, act);
  }
  for (const command of everyCommand(program)) command.showHelpAfterError(helpHint(command));
  const result = (): Result => {
    if (!printed) throw new Error('the command ended without a result');
    return printed;
  };
  return { program, result };
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** What to do about a line that is wrong, below what is wrong with it. */
function helpHint(command: Command): string {
  const words: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) words.unshift(each.name());
  return `${words.join(' ')} --help shows the options and an example`;
}
