// `npm run chaos -- [--seed N] [--minutes M]` runs the service under seeded faults and compares its books afterwards;
// `--ci` makes the runs that must pass before a change is merged, and counts them in the last line.
import { run } from './children.mjs';
import { prepareCheckout } from './prepare.mjs';

await prepareCheckout();
const args = ['--import', './scripts/typescript.mjs', 'test/chaos/run.ts', ...process.argv.slice(2)];
process.exit(await run(process.execPath, args));
