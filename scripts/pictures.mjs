// `npm run pictures` takes the pictures of docs/console-pictures.md again, by the browser tests of these pages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { checkout } from './prepare.mjs';

const folder = path.join(checkout, 'docs', 'images', 'console');
const document = readFileSync(path.join(checkout, 'docs', 'console-pictures.md'), 'utf8');

const code =
  (await run('test/console/browser', { CONSOLE_GALLERY: 'true' })) || (await run('test/console/gallery', {}));
process.exit(code);

async function run(tests, env) {
  if (!env.CONSOLE_GALLERY) removeLeftOvers();
  const test = spawn(process.execPath, [path.join(checkout, 'scripts', 'test.mjs'), tests, '--maxWorkers=2'], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => test.kill(signal));
  const [code] = await once(test, 'exit');
  return code ?? 1;
}

/** Pictures that the document no longer shows. */
function removeLeftOvers() {
  for (const name of readdirSync(folder))
    if (!document.includes(`images/console/${name}`)) rmSync(path.join(folder, name));
}
