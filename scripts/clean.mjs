// The first step of `npm run build:service`: what the compiler wrote before goes. The console's pages and the merchants' site
// stay: they have builds of their own.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

const names = existsSync(dist) ? readdirSync(dist) : [];
for (const name of names.filter((each) => !['console', 'site'].includes(each))) {
  rmSync(path.join(dist, name), { recursive: true, force: true });
}
