// Behind `npm start`: installs what the console's pages and the merchants' documentation are made with, and builds them, while
// the service answers already. Whatever fails leaves the service as it is.
import { setPriority } from 'node:os';
import { completePages } from './prepare.mjs';

setPriority(15);
if (!completePages()) {
  console.error('The service runs without these pages. The next npm start tries again, and so does npm run build.');
  process.exitCode = 1;
}
