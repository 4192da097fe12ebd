// `npm start`: from a fresh clone to a running order service.
import { prepareOrExit } from './prepare.mjs';

prepareOrExit();
// In this process, so that a signal to it reaches the stack and the stack's exit code is its own.
await import(new URL('../dist/tools/local-stack/main.js', import.meta.url).href);
