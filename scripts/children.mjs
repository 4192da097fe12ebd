// The programs that a script starts get its signals, and the script ends after them: none goes on alone.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The running programs, each with a function that sends it a signal. */
const running = new Map();
let isEnding = false;

// After a failure of the script, programs may still run.
process.on('exit', () => end('SIGTERM'));

function end(signal) {
  isEnding = true;
  // npm passes only SIGINT and SIGTERM on to its own programs.
  for (const send of running.values()) send(signal === 'SIGHUP' ? 'SIGTERM' : signal);
}

/**
 * Passes signals on to a program until it ends. After Ctrl-C a program gets the signal twice, from the terminal and from here.
 * @param isGroup whether the program leads a process group (`detached`), whose other processes get the signals as well.
 */
export function withSignals(child, { isGroup = false } = {}) {
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  running.set(child, (signal) => (isGroup ? sendToGroup(child.pid, signal) : child.kill(signal)));
  const ended = () => {
    running.delete(child);
    if (running.size > 0) return;
    if (isEnding) process.exit(130);
    for (const signal of SIGNALS) process.off(signal, end);
  };
  child.once('error', ended);
  child.once('close', ended);
  return child;
}

function sendToGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Its last process has just ended.
    if (error.code !== 'ESRCH') throw error;
  }
}

/** After a signal, the script does nothing more while other programs end. */
const unlessEnding = (result) => (isEnding ? new Promise(() => undefined) : result);

/** Runs a program with the streams of this one. @returns its exit code; 1 if a signal ended it. */
export async function run(program, args, options = {}) {
  const [code] = await once(withSignals(spawn(program, args, { stdio: 'inherit', ...options })), 'close');
  return unlessEnding(code ?? 1);
}

/** Runs a program without input. @returns its output, and the error if it failed. */
export function outputOf(program, args) {
  const output = new Promise((resolve) => {
    const child = execFile(program, args, { maxBuffer: 100_000_000 }, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
    child.stdin?.end();
    withSignals(child);
  });
  return output.then(unlessEnding);
}
