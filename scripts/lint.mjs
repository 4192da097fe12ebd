// `npm run lint`: the linter, the formatter and the fence between folders, beside each other.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CHECKS = [
  ['oxlint', '--deny-warnings'],
  ['prettier', '--check', '--log-level', 'warn', '.'],
  [
    'depcruise',
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err-long',
    'src',
    'tools',
    'ormconfig.ts',
  ],
];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const passed = await Promise.all(CHECKS.map(([tool, ...args]) => check(tool, args)));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Prints what a tool has to say once it has said it all. */
function check(tool, args) {
  return new Promise((resolve) => {
    execFile(`node_modules/.bin/${tool}`, args, { maxBuffer: 100_000_000 }, (error, stdout, stderr) => {
      console.log(`${error ? '✘' : '✔'} ${tool}\n${stdout}${stderr}`);
      resolve(!error);
    });
  });
}
