// `npm run lint`: the linter, the formatter, the fence between folders, and the linters of openapi.json,
// all at the same time.
import { fileURLToPath } from 'node:url';
import { outputOf, run } from './children.mjs';

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
  if ((await run('npm', ['run', '--silent', types])) !== 0) process.exit(1);
const passed = await Promise.all(CHECKS.map(([tool, ...args]) => check(tool, args)));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Prints the output of a tool when the tool has ended, so that outputs do not mix. */
async function check(tool, args) {
  const [program, ...before] = tool.endsWith('.mjs') ? [process.execPath, tool] : [`node_modules/.bin/${tool}`];
  const { error, stdout, stderr } = await outputOf(program, [...before, ...args]);
  console.log(`${error ? '✘' : '✔'} ${tool}\n${stdout}${stderr}`);
  return !error;
}
