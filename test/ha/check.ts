import { missingHere } from './programs.js';
import { SCENARIOS, scenariosOf } from './scenarios.js';

// Runs before anything starts. Exits with 1 if a program is missing, with 3 if there is nothing to run.

const USAGE = 'npm run ha -- [SCENARIO...]';
const names = process.argv.slice(2);
if (names.includes('--help') || names.includes('--list')) {
  console.log(`${USAGE}\n\n${SCENARIOS.map(({ name, what }) => `${name.padEnd(28)}${what}`).join('\n')}`);
  process.exit(3);
}
try {
  scenariosOf(names);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
const missing = missingHere();
for (const line of missing) console.error(line);
process.exit(missing.length === 0 ? 0 : 1);
