// `npm run build:console`: the console's pages, as a browser loads them. They take their place at once, since a process may be
// waiting for them.
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
