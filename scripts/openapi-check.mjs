// `npm run openapi:check`: openapi.json under the recommended rules of Redocly and Spectral, and in TypeScript. The tools
// are some 270 packages, so they are fetched for the run and are no dependencies of this checkout.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = [
  '@redocly/cli@2.77.0',
  '@stoplight/spectral-cli@6.16.3',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
];

/** What must compile against the generated types: the smallest bodies, and no code where it cannot be. */
const USE = `
import type { components } from './types.js';
type Schemas = components['schemas'];
export const order: Schemas['CreateOrderDto'] = { reference_id: 'a', user_id: 'b', items: [{ sku: 'c' }] };
export const webhook: Schemas['CreateWebhookDto'] = { url: 'https://shop.example' };
export const nothing: Schemas['UpdateWebhookDto'] = {};
// @ts-expect-error: of orders only
export const code: Schemas['OrderItemDto']['failure_code'] = 'PARTIALLY_COMPLETED';
`;

const directory = mkdtempSync(path.join(tmpdir(), 'openapi-check-'));
try {
  copyFileSync(
    fileURLToPath(new URL('../openapi.json', import.meta.url)),
    path.join(directory, 'openapi.json'),
  );
  writeFileSync(path.join(directory, 'package.json'), '{ "private": true }');
  writeFileSync(path.join(directory, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  writeFileSync(path.join(directory, 'use.ts'), USE);
  const isFine =
    run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...TOOLS) &&
    // All of them run, so that one run tells everything.
    [
      run('npx', 'redocly', 'lint', '--extends=recommended', 'openapi.json'),
      run('npx', 'spectral', 'lint', '--fail-severity=warn', 'openapi.json'),
      run('npx', 'openapi-typescript', 'openapi.json', '--output', 'types.d.ts') &&
        run('npx', 'tsc', '--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', 'use.ts'),
    ].every(Boolean);
  process.exitCode = isFine ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function run(program, ...args) {
  console.log(`\n> ${program} ${args.join(' ')}`);
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(program, args, { cwd: directory, env, stdio: 'inherit' }).status === 0;
}
