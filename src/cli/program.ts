import { inspect } from 'node:util';
import { type Command, CommanderError } from 'commander';
import type { CommandFeatures } from '../cli.module.js';
import { serviceVersion } from '../core/project-root.js';
import { OperatorCommand, type Runner } from './command-group.js';
import { GROUPS } from './groups.js';
import { print, printParts, type Ending, type Result } from './output.js';
import { streams, withStreams, type Streams, paint } from './streams.js';

const EPILOGUE = `
Run topup help <command> for a command's options and examples.
DATABASE_URL selects the database. The default is the local stack that npm start runs from this checkout.
From a checkout: npm run -s topup -- <command>
`;

/**
 * Carries out one command. Its result goes to standard output, problems go to standard error.
 * @param own the streams to use. Tests pass other streams than the process's.
 * @returns the exit code: 0, or 1 if the command was refused, failed, or found something wrong.
 */
export function runCommandLine(
  args: string[],
  env: NodeJS.ProcessEnv,
  own: Omit<Streams, 'env'> = process,
): Promise<number> {
  const { stdin, stdout, stderr } = own;
  // Once a reader has closed its end, as head does, writes fail. Without a listener, Node then ends the process.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return withStreams({ stdin, stdout, stderr, env }, () => carryOut(args, env));
}

async function carryOut(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { stderr } = streams();
  const { program, result } = await buildProgram(args, env);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    // Commander has already printed the problem or the requested help.
    if (error instanceof CommanderError) return error.exitCode;
    return failed(error, env);
  }
  const printed = result();
  const { ok = true, remarks = [], warnings = [] } = printed;
  const asJson = wantsJson(program);
  const lines = asJson && 'text' in printed ? warnings : [...remarks, ...warnings];
  let code = ok ? 0 : 1;
  try {
    if ('text' in printed) await print(asJson ? JSON.stringify(printed.json) : printed.text());
  } catch (error) {
    // The output may have a secret that is shown only once.
    code = await failed(error, env, ': the command was carried out, but its output was not written');
  }
  for (const line of lines) stderr.write(`${line}\n`);
  return code;
}

/** Writes a problem to standard error. @param more ends the sentence. @returns the exit code. */
async function failed(error: unknown, env: NodeJS.ProcessEnv, more = ''): Promise<number> {
  const { stderr } = streams();
  const { problemInWords } = await import('./problems.js');
  stderr.write(`${paint('red', 'error:', stderr)} ${problemInWords(error)}${more}\n`);
  if (/^(debug|trace)$/.test(env.LOG_LEVEL ?? '')) stderr.write(`${inspect(error)}\n`);
  return 1;
}

const wantsJson = (program: Command): boolean => program.opts<{ json?: boolean }>().json ?? false;

interface Program {
  program: Command;
  /** The output of the command. */
  result: () => Result | Ending;
}

async function buildProgram(args: string[], env: NodeJS.ProcessEnv): Promise<Program> {
  let printed: Result | Ending | undefined;
  const answer = (result: Result | Ending): void => void (printed = result);
  const runnerWith =
    (features: CommandFeatures): Runner =>
    (work, load) =>
    async (...given) => {
      const { openSession } = await import('./session.js');
      const app = await openSession(env, load ? await load() : features);
      try {
        const worked = await work(app, ...given);
        if ('parts' in worked) {
          const asJson = wantsJson(program);
          await printParts(worked, asJson);
          answer(worked.end?.(asJson) ?? {});
        } else answer(worked);
      } finally {
        await app.close();
      }
    };
  const requestedGroup = args.filter((arg) => !arg.startsWith('-')).find((word) => word !== 'help');
  const program = await defineProgram({ runnerWith, answer, isWanted: (name) => name === requestedGroup });
  const version = serviceVersion();
  program.version(args.includes('--json') ? JSON.stringify({ version }) : version, '-V, --version', 'show the version');
  const result = (): Result | Ending => {
    if (!printed) throw new Error('the command ended without a result');
    return printed;
  };
  return { program, result };
}

interface Definition {
  runnerWith: (features: CommandFeatures) => Runner;
  answer: (result: Result | Ending) => void;
  /** Whether to load a group. A group that is not loaded has only its name and summary. */
  isWanted: (group: string) => boolean;
}

async function defineProgram({ runnerWith, answer, isWanted }: Definition): Promise<Command> {
  const program = new OperatorCommand('topup')
    .description('The operator’s command line for the order top-up service.')
    .option('--json', 'print the result as a single JSON value')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EPILOGUE)
    .configureOutput({
      writeOut: (text) => void streams().stdout.write(text),
      writeErr: (text) => void streams().stderr.write(text),
    })
    .exitOverride();
  const wholeProgram = (): Promise<Command> => defineProgram({ runnerWith, answer, isWanted: () => true });
  for (const [name, { summary, load }] of Object.entries(GROUPS)) {
    const command = program.command(name).description(summary);
    if (!isWanted(name)) continue;
    const { features, define } = await load();
    define(command.runBy(runnerWith(features)), { answer, wholeProgram });
  }
  for (const command of everyCommand(program)) command.showHelpAfterError(helpHint(command));
  return program;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** The advice below a usage error. */
function helpHint(command: Command): string {
  const words: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) words.unshift(each.name());
  return `${words.join(' ')} --help shows the options and examples`;
}
