// `npm run test:lts [-- jest arguments]` runs the tests on the Node version of the image, from npm's `node` package.
// TEST_NODE=26 in front of it chooses another version.
import { readFileSync } from 'node:fs';
import { run } from './children.mjs';
import { checkout } from './prepare.mjs';

process.chdir(checkout);
const [, ofImage] = /^FROM node:(\d+)/m.exec(readFileSync('Dockerfile', 'utf8'));
const version = process.env.TEST_NODE || ofImage;
// The package's own script fetches the program. .npmrc forbids scripts, so this one is allowed explicitly.
const node = ['exec', '--yes', '--ignore-scripts=false', `--package=node@${version}`, '--', 'node'];
process.exit(await run('npm', [...node, 'scripts/test.mjs', ...process.argv.slice(2)]));
