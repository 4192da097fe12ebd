// `npm run simulate -- VENDOR`: from a fresh clone to a simulated supplier.
import { prepareOrExit } from './prepare.mjs';

prepareOrExit();
await import(new URL('../dist/tools/simulators/simulate.js', import.meta.url).href);
