import { runCommandLine } from './ops/cli/program.js';

process.exitCode = await runCommandLine(process.argv.slice(2), process.env);
