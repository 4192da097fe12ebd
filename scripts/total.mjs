// `node scripts/total.mjs COMMAND...` runs commands whose last line counts tests, one after the other, even if one fails.
// At the end it lists all failures. Its last line is the sum.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // npm passes only SIGINT and SIGTERM on to its own programs.
    child?.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    process.exitCode = 130;
  });
}

const failures = [];
const total = { passed: 0, failed: 0, skipped: 0 };
for (const command of process.argv.slice(2)) {
  if (process.exitCode) break;
  const counts = await run(command);
  for (const key of Object.keys(total)) total[key] += counts[key];
}
for (const failure of failures) console.log(failure);
const { passed, failed, skipped } = total;
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode ||= failed > 0 ? 1 : 0;

async function run(command) {
  const [program, ...args] = command.split(' ');
  child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let last = '';
  for await (const line of createInterface(child.stdout)) {
    console.log(line);
    // What failed, and how to repeat it.
    if (/^(failed| {2}repeat): /.test(line)) failures.push(line);
    last = line;
  }
  const [code] = await closed;
  const [, ...numbers] = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(last) ?? [];
  const [passed = 0, failed = 0, skipped = 0] = numbers.map((number) => Number(number ?? 0));
  // The command failed without counting its failures.
  const uncounted = failed === 0 && (code !== 0 || numbers.length === 0) ? 1 : 0;
  return { passed, failed: failed + uncounted, skipped };
}
