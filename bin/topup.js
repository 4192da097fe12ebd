#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/src/cli.js', import.meta.url);

if (existsSync(program)) {
  // Node 22.8 and later compile once what they load, and find it there at the next start.
  module.enableCompileCache?.(fileURLToPath(new URL('../dist/compiled', import.meta.url)));
  await import(program.href);
} else {
  process.stderr.write('topup is not built yet. Run this first: npm ci && npm run build\n');
  process.exit(1);
}
