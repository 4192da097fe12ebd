// `npm run chaos -- [--seed N] [--minutes M]` runs the service under seeded faults and compares its books afterwards;
// `--ci` makes the runs that must pass before a change is merged, and counts them in the last line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { prepareCheckout } from './prepare.mjs';

prepareCheckout();
const args = ['--import', './scripts/typescript.mjs', 'test/chaos/run.ts', ...process.argv.slice(2)];
const run = spawn(process.execPath, args, { stdio: 'inherit' });
// Ctrl-C reaches the run as well. A signal to this process alone must be passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
const [code] = await once(run, 'exit');
process.exit(code ?? 1);
