// `npm run openapi:check` compiles the clients that hey-api and orval generate from openapi.json. The two are some 150 packages and
// need Node 22, so each run fetches them with a suitable Node. `npm run lint` and a test check openapi.json otherwise.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './children.mjs';

const TOOLS = ['@hey-api/openapi-ts@0.99.0', 'orval@8.38.0', 'typescript@5.9.3', '@types/node@24.0.0'];

/** Uses of the generated types: the smallest bodies, and an event that `event` distinguishes from others. */
const USE = `
import type * as Hey from './hey/types.gen';
import type * as Orval from './orval/api';
export const one: Hey.CreateOrderDto = { reference_id: 'a', user_id: 'b', items: [{ sku: 'c' }] };
export const other: Orval.CreateOrderDto = one;
export const delivered = (event: Hey.OrderCompletedEventWebhookRequest['body']): string => event.data.order_number;
export const owed = (event: Orval.EventDto): string =>
  event.event === 'wallet.low_balance' ? event.data.threshold_amount : event.data.order_number;
`;
const ORVAL = `export default { api: { input: './openapi.json', output: { target: './orval/api.ts', client: 'fetch' } } };`;

const directory = mkdtempSync(path.join(tmpdir(), 'openapi-check-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
copyFileSync(fileURLToPath(new URL('../openapi.json', import.meta.url)), path.join(directory, 'openapi.json'));
writeFileSync(path.join(directory, 'package.json'), '{ "private": true, "type": "module" }');
writeFileSync(path.join(directory, 'orval.config.mjs'), ORVAL);
writeFileSync(path.join(directory, 'use.ts'), USE);
const node = ['exec', '--yes', '--ignore-scripts=false', '--package=node@24', '--', 'node'];
const compiler = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck'];
const libraries = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'];
const isFine =
  (await works('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...TOOLS)) &&
  (await works('npm', ...node, 'node_modules/@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey')) &&
  (await works('npm', ...node, 'node_modules/orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs')) &&
  (await works('npx', 'tsc', ...compiler, ...libraries, 'use.ts', 'hey/index.ts'));
process.exitCode = isFine ? 0 : 1;

async function works(program, ...args) {
  console.log(`\n> ${program} ${args.join(' ')}`);
  return (await run(program, args, { cwd: directory })) === 0;
}
