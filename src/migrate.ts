import { startProblem } from './core/process.js';
import { migrate } from './migration.js';

// A signal ends it at once, as every program that handles none: PostgreSQL takes an unfinished step back.
try {
  await migrate(process.env);
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}
