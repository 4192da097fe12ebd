// `npm start` starts the order service; on a fresh clone it installs and builds first. scripts/pages.mjs builds the pages in the
// background.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import module from 'node:module';
import path from 'node:path';
import { withSignals } from './children.mjs';
import { checkout, prepareOrExit, prepareService, removeOldPages } from './prepare.mjs';

let ahead = Promise.resolve();
await prepareOrExit(async () => {
  await prepareService(() => {
    const args = ['--import', './scripts/typescript.mjs', 'tools/local-stack/ahead.ts'];
    // It starts programs such as initdb, which must end with it.
    const child = spawn(process.execPath, args, { stdio: ['ignore', 2, 2], detached: true });
    ahead = once(withSignals(child, { isGroup: true }), 'exit');
  });
  removeOldPages();
});
await ahead;
// Node 20 has none.
module.enableCompileCache?.(path.join(checkout, 'dist', 'compiled'));
// The stack runs in this process, so that it gets the signals and sets the exit code.
await import(new URL('../dist/tools/local-stack/main.js', import.meta.url).href);
