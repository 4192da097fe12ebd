// `npm start` starts the order service; on a fresh clone it installs and builds first. scripts/pages.mjs builds the pages in the
// background.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import module from 'node:module';
import path from 'node:path';
import { checkout, prepareOrExit, prepareService, removeOldPages } from './prepare.mjs';

let ahead = Promise.resolve();
prepareOrExit(() => {
  prepareService(() => {
    const args = ['--import', './scripts/typescript.mjs', 'tools/local-stack/ahead.ts'];
    ahead = once(spawn(process.execPath, args, { stdio: ['ignore', 2, 2] }), 'exit');
  });
  removeOldPages();
});
await ahead;
// Node 20 has none.
module.enableCompileCache?.(path.join(checkout, 'dist', 'compiled'));
// The stack runs in this process, so that it gets the signals and sets the exit code.
await import(new URL('../dist/tools/local-stack/main.js', import.meta.url).href);
