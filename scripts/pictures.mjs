// `npm run pictures` takes the pictures of docs/console-pictures.md again, by the browser tests of these pages.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './children.mjs';
import { checkout } from './prepare.mjs';

const folder = path.join(checkout, 'docs', 'images', 'console');
const document = readFileSync(path.join(checkout, 'docs', 'console-pictures.md'), 'utf8');

const code =
  (await test('test/console/browser', { CONSOLE_GALLERY: 'true' })) || (await test('test/console/gallery', {}));
process.exit(code);

function test(tests, env) {
  if (!env.CONSOLE_GALLERY) removeLeftOvers();
  const args = [path.join(checkout, 'scripts', 'test.mjs'), tests, '--maxWorkers=2'];
  return run(process.execPath, args, { env: { ...process.env, ...env } });
}

/** Pictures that the document no longer shows. */
function removeLeftOvers() {
  for (const name of readdirSync(folder))
    if (!document.includes(`images/console/${name}`)) rmSync(path.join(folder, name));
}
