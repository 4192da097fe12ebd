#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli.js', import.meta.url);

if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('topup is not built yet. Run this first: npm ci && npm run build\n');
  process.exit(1);
}
