// `npm run build:console` builds the console's pages for browsers. The finished folder is moved into place in one step, since a
// process may be waiting for it.
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = path.join(root, 'dist', 'console');
const unfinished = `${target}.new`;

await build({ root: path.join(root, 'console'), logLevel: 'warn', build: { outDir: unfinished } });
rmSync(target, { recursive: true, force: true });
renameSync(unfinished, target);
