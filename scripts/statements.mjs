// `npm run -s statements -- plan|write …` generates bank statements for tests; on a fresh clone it installs and builds first.
import { prepareOrExit } from './prepare.mjs';

await prepareOrExit();
const { run, UsageError } = await import(new URL('../dist/tools/statements/main.js', import.meta.url).href);
try {
  console.log(JSON.stringify(run(process.argv.slice(2))));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exit(2);
}
