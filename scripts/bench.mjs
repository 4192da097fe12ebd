// `npm run bench -- NAME…` runs benchmarks of bench/ one after another; without a name, all of them. The first `--option` and all
// arguments after it go to the benchmarks.
import { readdirSync } from 'node:fs';
import { run } from './children.mjs';
import { checkout, prepareCheckout } from './prepare.mjs';

process.chdir(checkout);
const files = readdirSync('bench').filter((file) => /\.m?[jt]s$/.test(file));
const nameOf = (file) => file.replace(/\.\w+$/, '');
const args = process.argv.slice(2);
const firstOption = args.findIndex((each) => each.startsWith('--'));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
const rest = args.slice(names.length);
const unknown = names.filter((name) => !files.some((file) => nameOf(file) === name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${files.map(nameOf).join(', ')}.`);
  process.exit(1);
}
const chosen = names.length > 0 ? names.map((name) => files.find((file) => nameOf(file) === name)) : files;
// A benchmark in plain JavaScript needs no packages of this checkout.
if (chosen.some((file) => file.endsWith('.ts'))) await prepareCheckout();
for (const file of chosen) {
  console.log(`\n== ${nameOf(file)}`);
  const loader = file.endsWith('.ts') ? ['--import', './scripts/typescript.mjs'] : [];
  const code = await run(process.execPath, [...loader, `bench/${file}`, ...rest]);
  if (code !== 0) process.exit(code);
}
