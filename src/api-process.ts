import { createApi } from './bootstrap.js';
import { loadConfig } from './core/config.js';
import { withDeadline } from './core/durations.js';
import { createLogger } from './core/logger.js';
import { processName, type RunningProcess } from './core/process.js';
import { SchemaService } from './database/schema.service.js';
import { ManagementServer } from './monitoring/management/management-server.js';

const STOP_WITHIN_MS = 8_500;
const DEFAULT_MANAGEMENT_PORT = 9464;
/** The port opens when the schema is ready, or after this time, so that clients get a 503 and not a refused connection. */
const WAIT_FOR_SCHEMA_MS = 5_000;

/** Starts the merchant API. @throws if it cannot start. */
export async function startApi(stopRequested: Promise<void>): Promise<RunningProcess> {
  const config = loadConfig(process.env);
  const logger = createLogger(config, processName('api'));
  const app = await createApi(config, logger);
  await app.get(ManagementServer).listen(DEFAULT_MANAGEMENT_PORT);
  await app.init();
  const schema = app.get(SchemaService).whenReady();
  await withDeadline(Promise.race([schema, stopRequested]), WAIT_FOR_SCHEMA_MS).catch(() => undefined);
  await app.listen(config.PORT, config.HOST);
  logger.info({ port: config.PORT }, 'the API is listening');
  return { logger, stopWithinMs: STOP_WITHIN_MS, stop: () => app.close() };
}
