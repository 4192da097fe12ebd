import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from './command-line.js';

const run = promisify(execFile);
const directory = mkdtempSync(path.join(tmpdir(), 'topup-cli-'));
const script = path.join(directory, 'topup.bash');
const start = path.join(directory, 'start.bash');
const commandLine = new CommandLine({});

beforeAll(async () => {
  const { stdout } = await commandLine.run('completion', 'bash');
  writeFileSync(script, stdout);
  writeFileSync(start, `source ${script}; topup() { printf 'ARG(%s)\\n' "$@"; }; PS1='ready> '\n`);
  writeFileSync(path.join(directory, 'price list.csv'), '');
});

afterAll(() => rmSync(directory, { recursive: true }));

/** The completions of bash for a line with the cursor at its end. */
async function offered(line: string): Promise<string[]> {
  const program = `
    source ${script}
    COMP_WORDS=(${line}${line.endsWith(' ') ? "''" : ''})
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _topup
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await run('bash', ['-c', program], { cwd: directory });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

/** The arguments of topup after these keys of a person at bash on a terminal (of script, from util-linux). */
async function typed(keys: string): Promise<string[]> {
  const child = spawn('script', ['--quiet', '--command', `exec bash --noprofile --rcfile ${start} -i`, '/dev/null'], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const wasReady = screen.includes('ready> ');
    screen += String(chunk);
    if (!wasReady && screen.includes('ready> ')) child.stdin.end(`${keys}\nexit\n`);
  }
  return [...screen.matchAll(/^ARG\((.*)\)/gm)].map(([, word = '']) => word);
}

describe('topup completion bash', () => {
  it('registers the completion of topup in bash', async () => {
    const { stdout } = await run('bash', ['-c', `source ${script}; complete -p topup`]);
    expect(stdout).toBe('complete -o bashdefault -o default -F _topup topup\n');
  });

  it('offers commands, their subcommands and their options', async () => {
    expect(await offered('topup ')).toEqual(
      expect.arrayContaining(['merchant', 'api-key', 'report', 'log', 'completion', 'help', '--json']),
    );
    expect(await offered('topup wal')).toEqual(['wallet']);
    expect(await offered('topup wallet ')).toEqual(expect.arrayContaining(['credit', 'debit', 'show']));
    expect(await offered('topup supplier set --code acme --cr')).toEqual(['--credential']);
    expect(await offered('topup supplier re')).toEqual(['resume', 'remove']);
    expect(await offered('topup --json order res')).toEqual(['resolve']);
    expect(await offered('topup order resolve ord_1 --su')).toEqual(['--succeeded', '--supplier-reference']);
    expect(await offered('topup help webhook rep')).toEqual(['replay']);
    expect(await offered('topup report margin --f')).toEqual(['--from']);
    expect(await offered('topup audit --')).toEqual(['--full', '--help', '--json']);
  });

  it('does not take the value of an option for a command, and offers no command in its place', async () => {
    expect(await offered('topup merchant create --name ')).toEqual([]);
    expect(await offered('topup merchant create --name list --op')).toEqual(['--operator']);
    expect(await offered('topup wallet credit --reference debit --amo')).toEqual(['--amount']);
  });

  it('leaves files to bash, where the name of a file stays one word if it has blanks', async () => {
    expect(await offered('topup product import pri')).toEqual([]);
    expect(await typed('topup product import pri\t')).toEqual(['product', 'import', 'price list.csv']);
    expect(await offered('topup product import --ye')).toEqual(['--yes']);
  });
});

describe('topup completion', () => {
  it('needs no database, and prints one value with --json', async () => {
    const { shell, script: text } = await commandLine.json<{ shell: string; script: string }>('completion', 'zsh');
    expect(shell).toBe('zsh');
    expect(text).toMatch(/^#compdef topup\n[^]+'wallet credit'\)\n[^]+'--amount:amount in baht, such as 1000\.00'/);
    const fish = await commandLine.run('completion', 'fish');
    expect(fish).toMatchObject({ code: 0, stderr: '' });
    expect(fish.stdout).toContain(`complete -c topup -n '__topup_at \\'wallet\\'' -a 'credit'`);
    expect(await commandLine.refused('completion', 'tcsh')).toMatch(/unknown command 'tcsh'/);
  });
});
