import path from 'node:path';
import { projectRoot } from '../../src/core/project-root.js';
import { buildSite } from './build.js';

// The last step of `npm run build:site`.
await buildSite(projectRoot, path.join(projectRoot, 'dist', 'site'));
