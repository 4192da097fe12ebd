// `npm run test:runtimes` tests the built TypeScript SDK on Deno, Bun and workerd (the runtime of Cloudflare Workers) besides Node.
// The three are some 350 MB, so they are no dependencies: npm fetches them once, into .local.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './children.mjs';
import { checkout } from './prepare.mjs';

const RUNTIMES = { deno: '2.9.6', bun: '1.4.5', workerd: '1.20261117.1' };

process.chdir(checkout);
const directory = path.resolve(process.env.TOPUP_DATA_DIR || '.local', 'runtimes');
mkdirSync(directory, { recursive: true });
writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ private: true, dependencies: RUNTIMES }, null, 2));
// Bun's own script puts the program in place. .npmrc forbids scripts, so this one is allowed explicitly.
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
await runOrExit('npm', ['install', `--prefix=${directory}`, '--ignore-scripts=false', ...quiet]);
await runOrExit(process.execPath, ['scripts/test.mjs', 'test/sdk/runtimes', ...process.argv.slice(2)]);

async function runOrExit(program, args) {
  const code = await run(program, args, { env: { ...process.env, SDK_RUNTIMES_DIR: directory } });
  if (code !== 0) process.exit(code);
}
