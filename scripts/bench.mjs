// `npm run bench -- NAME…` runs benchmarks of bench/ one after another; without a name, all of them.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { prepareCheckout } from './prepare.mjs';

prepareCheckout();
const all = readdirSync('bench').filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3)); // prettier-ignore
const names = process.argv.slice(2);
const unknown = names.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${all.join(', ')}.`);
  process.exit(1);
}
for (const name of names.length > 0 ? names : all) {
  console.log(`\n== ${name}`);
  const { status } = spawnSync(
    process.execPath,
    ['--import', './scripts/typescript.mjs', `bench/${name}.ts`],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
