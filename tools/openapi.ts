import { writeFile } from 'node:fs/promises';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApi } from '../src/bootstrap.js';
import { createConsole } from '../src/console/console-app.js';
import { createConsoleOpenApi } from '../src/console/openapi.js';
import { loadConfig } from '../src/core/config.js';
import { createLogger } from '../src/core/logger.js';
import { createOpenApi } from '../src/api-docs/swagger.js';

// Writes openapi.json and console/openapi.json. The applications are built but never started: they reach for no server.
const config = loadConfig({
  DATABASE_URL: 'postgres://localhost/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  LOG_LEVEL: 'silent',
});
const logger = createLogger(config, 'openapi');
const write = (file: string, document: OpenAPIObject): Promise<void> =>
  writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
const documents: [string, Promise<INestApplication>, (app: INestApplication) => OpenAPIObject][] = [
  ['openapi.json', createApi(config, logger), createOpenApi],
  ['console/openapi.json', createConsole(config, logger), createConsoleOpenApi],
];
for (const [file, app, documentOf] of documents) await write(file, documentOf(await app));
process.exit(0);
