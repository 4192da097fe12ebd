// `npm run simulate -- VENDOR`: from a fresh clone to a simulated supplier.
import { fail, PreparationError, prepareCheckout } from './prepare.mjs';

try {
  prepareCheckout();
} catch (error) {
  if (error instanceof PreparationError) fail(error.message);
  throw error;
}
await import(new URL('../dist/tools/simulators/simulate.js', import.meta.url).href);
