// The first step of `npm run build:service`: writes dist anew, with the transform that the tests use. It takes a second,
// because it doesn't look at types: `npm run build`, `npm run typecheck` and CI do. The console's pages and the merchants'
// site stay: they have builds of their own.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';
import settings from './swc.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'dist');

/** What tsconfig.build.json includes. */
function sources() {
  const below = ['src', 'tools'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
  );
  const isBuilt = (name) =>
    /(?<!\.spec|\.d)\.ts$/.test(name) && !name.startsWith(path.join('tools', 'docs-site', 'browser'));
  return ['ormconfig.ts', ...below.filter(isBuilt)];
}

async function compile(source) {
  const target = path.join(dist, source.replace(/\.ts$/, '.js'));
  const file = path.join(root, source);
  const { code, map } = await transformFile(file, {
    ...settings,
    swcrc: false,
    sourceMaps: true,
    inlineSourcesContent: false,
    sourceFileName: path.relative(path.dirname(target), file),
  });
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${code}//# sourceMappingURL=${path.basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
}

const names = existsSync(dist) ? readdirSync(dist) : [];
for (const name of names.filter((each) => !['console', 'site'].includes(each)))
  rmSync(path.join(dist, name), { recursive: true, force: true });
await Promise.all(sources().map(compile));
