import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../src/core/project-root.js';
import { eventually } from './support/eventually.js';

const SCRIPTS = path.join(projectRoot, 'scripts');
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Writes its process id to a file. At a signal, it adds the signal and ends. */
const PROGRAM = `
  import { appendFileSync } from 'node:fs';
  const [, file] = process.argv;
  for (const signal of ${JSON.stringify(SIGNALS)})
    process.on(signal, () => {
      appendFileSync(file, ' ' + signal);
      process.exit();
    });
  setInterval(() => undefined, 60_000);
  appendFileSync(file, String(process.pid));`;

const inScript = (name: string): string => JSON.stringify(pathToFileURL(path.join(SCRIPTS, name)).href);

/** Scripts that start a program, in each of the ways. @param args of Node, as JSON. */
const WAYS: [way: string, scriptOf: (args: string) => string][] = [
  [
    'with their own streams',
    (args) => `
      import { run } from ${inScript('children.mjs')};
      process.exit(await run(process.execPath, ${args}));`,
  ],
  [
    'as a step',
    (args) => `
      import { node } from ${inScript('steps.mjs')};
      await node('Working', 'Worked', ...${args});`,
  ],
  [
    'with programs of its own',
    (args) => `
      import { spawn } from 'node:child_process';
      import { withSignals } from ${inScript('children.mjs')};
      const args = ['-c', '"$0" "$@" & wait', process.execPath, ...${args}];
      withSignals(spawn('sh', args, { stdio: 'ignore', detached: true }), { isGroup: true });`,
  ],
];

describe('Scripts', () => {
  let directory: string;
  let file: string;
  let script: ChildProcess | undefined;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'topup-scripts-'));
    file = path.join(directory, 'program');
  });

  const written = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

  afterEach(() => {
    script?.kill('SIGKILL');
    const [pid = '', signal] = written().split(' ');
    // Of a program that got no signal.
    if (pid !== '' && signal === undefined) process.kill(Number(pid), 'SIGKILL');
    rmSync(directory, { recursive: true });
  });

  const cases = WAYS.flatMap(([way, scriptOf]) => SIGNALS.map((signal) => [way, signal, scriptOf] as const));

  it.each(cases)('pass signals on to a program that they start %s: %s', async (_way, signal, scriptOf) => {
    const args = JSON.stringify(['--input-type=module', '--eval', PROGRAM, file]);
    script = spawn(process.execPath, ['--input-type=module', '--eval', scriptOf(args)], { stdio: 'ignore' });
    const ended = once(script, 'exit');
    await eventually(written, (text) => text !== '');
    script.kill(signal);
    expect(await ended).toEqual([130, null]);
    // npm does not pass SIGHUP on.
    const received = signal === 'SIGHUP' ? 'SIGTERM' : signal;
    await eventually(written, (text) => text.endsWith(` ${received}`));
  });

  it('never wait for a program in a way that lets them miss a signal', () => {
    const waiting = readdirSync(SCRIPTS).filter((name) =>
      /\b(spawn|exec|execFile)Sync\b/.test(readFileSync(path.join(SCRIPTS, name), 'utf8')),
    );
    expect(waiting).toEqual([]);
  });
});
