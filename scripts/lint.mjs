// `npm run lint`: the linter, the formatter, the fence between folders, and the linters of openapi.json,
// all at the same time.
import { execFile, execFileSync } from 'node:child_process';
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
    'sdk/typescript/src',
    'console/src',
    'ormconfig.ts',
  ],
  ['scripts/lint-openapi.mjs'],
];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
// The linter reads these types, which are written from the OpenAPI documents.
for (const types of ['console:types', 'sdk:types'])
  execFileSync('npm', ['run', '--silent', types], { stdio: 'inherit' });
const passed = await Promise.all(CHECKS.map(([tool, ...args]) => check(tool, args)));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Prints the output of a tool when the tool has ended, so that outputs do not mix. */
function check(tool, args) {
  return new Promise((resolve) => {
    const [program, ...before] = tool.endsWith('.mjs') ? [process.execPath, tool] : [`node_modules/.bin/${tool}`];
    execFile(program, [...before, ...args], { maxBuffer: 100_000_000 }, (error, stdout, stderr) => {
      console.log(`${error ? '✘' : '✔'} ${tool}\n${stdout}${stderr}`);
      resolve(!error);
    });
  });
}
