// `npm run simulate -- VENDOR` starts a simulated supplier; on a fresh clone it installs and builds first.
import { prepareOrExit } from './prepare.mjs';

await prepareOrExit();
await import(new URL('../dist/tools/simulators/simulate.js', import.meta.url).href);
