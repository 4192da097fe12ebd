import { writeFile } from 'node:fs/promises';
import { createApi } from '../src/bootstrap.js';
import { loadConfig } from '../src/core/config.js';
import { createLogger } from '../src/core/logger.js';
import { createOpenApi } from '../src/api-docs/swagger.js';

// Writes openapi.json. The application is built but never started: it reaches for no server.
const config = loadConfig({
  DATABASE_URL: 'postgres://localhost/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  LOG_LEVEL: 'silent',
});
const app = await createApi(config, createLogger(config, 'openapi'));
await writeFile('openapi.json', `${JSON.stringify(createOpenApi(app), null, 2)}\n`);
process.exit(0);
