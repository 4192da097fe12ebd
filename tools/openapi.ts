import { writeFile } from 'node:fs/promises';
import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApi } from '../src/bootstrap.js';
import { createConsole } from '../src/console/console-app.js';
import { createConsoleOpenApi } from '../src/console/openapi.js';
import { loadConfig } from '../src/core/config.js';
import { createLogger } from '../src/core/logger.js';
import { createOpenApi } from '../src/api-docs/swagger.js';
import { postmanCollection, type ApiDocument } from './postman.js';

// Writes openapi.json, console/openapi.json and the Postman collection of the merchants' API. The applications are created but
// never started, so they connect to no server.
const config = loadConfig({
  DATABASE_URL: 'postgres://localhost/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  LOG_LEVEL: 'silent',
});
const logger = createLogger(config, 'openapi');
const write = (file: string, document: object): Promise<void> =>
  writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
const documents: [string, Promise<INestApplication>, (app: INestApplication) => OpenAPIObject][] = [
  ['openapi.json', createApi(config, logger), createOpenApi],
  ['console/openapi.json', createConsole(config, logger), createConsoleOpenApi],
];
for (const [file, app, documentOf] of documents) {
  const document = documentOf(await app);
  await write(file, document);
  if (file === 'openapi.json')
    await write(
      'docs/merchants/order-topup.postman_collection.json',
      postmanCollection(document as unknown as ApiDocument),
    );
}
process.exit(0);
