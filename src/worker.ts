import { runProcess } from './core/process.js';

// Loaded here and not above: that takes most of the start, and a signal must find somebody who listens meanwhile.
await runProcess(async () => (await import('./worker-process.js')).startWorker);
