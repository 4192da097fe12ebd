import { runLocalStack } from './run.js';

// Everything that a newcomer needs, on this machine, in one command: see `npm start`.
process.exit(await runLocalStack(process.env));
