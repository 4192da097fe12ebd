// `npm run ha -- [SCENARIO...]` breaks one machine after another in a laboratory of namespaces: see test/ha/README.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from './children.mjs';
import { prepareCheckout } from './prepare.mjs';

await prepareCheckout();
const node = [process.execPath, '--import', './scripts/typescript.mjs'];
const problem = await run(node[0], [...node.slice(1), 'test/ha/check.ts', ...process.argv.slice(2)]);
// With 3 there is nothing to do but what it has said.
if (problem !== 0) process.exit(problem === 3 ? 0 : problem);

// All processes of the laboratory end with the first process of its namespaces, and that process ends with this one. The kernel
// removes its mounts and links with the namespaces.
const laboratory = spawn(
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
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => laboratory.kill('SIGKILL'));
const [code] = await once(laboratory, 'exit');
process.exit(code ?? 130);
