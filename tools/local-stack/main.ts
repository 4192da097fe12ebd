import { runLocalStack } from './run.js';

// The program of `npm start`.
process.exit(await runLocalStack(process.env));
