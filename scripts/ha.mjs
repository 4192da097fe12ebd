// `npm run ha -- [SCENARIO...]` breaks one machine after another in a laboratory of namespaces: see test/ha/README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { prepareCheckout } from './prepare.mjs';

prepareCheckout();
const node = [process.execPath, '--import', './scripts/typescript.mjs'];
const check = spawn(node[0], [...node.slice(1), 'test/ha/check.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
const [problem] = await once(check, 'exit');
// With 3 there is nothing to do but what it has said.
if (problem !== 0) process.exit(problem === 3 ? 0 : (problem ?? 1));

// All processes of the laboratory end with the first process of its namespaces, and that process ends with this one. The kernel
// removes its mounts and links with the namespaces.
const run = spawn(
  'setpriv',
  [
    '--pdeathsig',
    'KILL',
    'unshare',
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    'sh',
    'test/ha/first-process.sh',
    ...node,
    'test/ha/run.ts',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
// Ctrl-C reaches the run as well. A signal to this process alone ends the run at once.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill('SIGKILL'));
const [code] = await once(run, 'exit');
process.exit(code ?? 130);
