// `npm run test:lts [-- jest arguments]`: the tests on the Node of the image, which npm's `node` package brings.
// TEST_NODE=26 in front of it takes another version.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkout } from './prepare.mjs';

process.chdir(checkout);
const [, ofImage] = /^FROM node:(\d+)/m.exec(readFileSync('Dockerfile', 'utf8'));
const version = process.env.TEST_NODE || ofImage;
// That package's own script fetches the program; .npmrc lets no other run any.
const node = ['exec', '--yes', '--ignore-scripts=false', `--package=node@${version}`, '--', 'node'];
const { status } = spawnSync('npm', [...node, 'scripts/test.mjs', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
