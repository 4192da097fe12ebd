// `npm start` runs this in the background, while the service answers already: it installs the packages that build the console's
// pages and the merchants' documentation, and builds both. A failure leaves the service as it is.
import { setPriority } from 'node:os';
import { completePages } from './prepare.mjs';

setPriority(15);
if (!(await completePages())) {
  console.error('The service runs without these pages. The next npm start tries again, and so does npm run build.');
  process.exitCode = 1;
}
