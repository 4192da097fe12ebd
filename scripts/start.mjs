// `npm start`: from a fresh clone to a running order service. Its pages are built behind it (scripts/pages.mjs).
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
// In this process, so that a signal to it reaches the stack and the stack's exit code is its own.
await import(new URL('../dist/tools/local-stack/main.js', import.meta.url).href);
