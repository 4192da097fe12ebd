import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';
import { buildSite } from './build.js';

// `npm run build:site`. It replaces the whole site in one step, because an API process may be waiting for it.
const target = path.join(projectRoot, 'dist', 'site');
const unfinished = `${target}.new`;
await buildSite(projectRoot, unfinished);
rmSync(target, { recursive: true, force: true });
renameSync(unfinished, target);
