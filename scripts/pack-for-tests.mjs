// Packs the packages that sources and tests import (`test/support/resolver.cjs`): each suite loads its modules anew, and a
// thousand small files would be most of that. `npm test` does it once after each installation.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isUnpacked, pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const specifiers = [...Object.keys(dependencies), 'csv-parse/sync', '@nestjs/testing'].filter(
  (specifier) => !isUnpacked(specifier),
);

const packed = path.join(root, 'node_modules', '.packed');
const done = path.join(packed, 'done');
const changedMs = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = ['node_modules/.package-lock.json', 'scripts/pack.mjs', 'scripts/pack-for-tests.mjs'];

if (sources.some((source) => changedMs(path.join(root, source)) >= changedMs(done))) {
  rmSync(packed, { recursive: true, force: true });
  const names = new Map();
  for (const specifier of specifiers) {
    const exported = Object.keys(await import(specifier));
    names.set(specifier, new Set(exported.filter((name) => name !== 'module.exports')));
  }
  await pack(names, packed);
  writeFileSync(done, '');
}
