import { runProcess } from './core/process.js';

// Imported lazily: loading the app takes most of the start, and signal handlers must exist before.
await runProcess(async () => (await import('./api-process.js')).startApi);
