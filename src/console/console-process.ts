import { loadConfig } from '../core/config.js';
import { withDeadline } from '../core/durations.js';
import { createLogger } from '../core/logger.js';
import { processName, type RunningProcess } from '../core/process.js';
import { SchemaService } from '../database/schema.service.js';
import { createConsole } from './console-app.js';

const STOP_WITHIN_MS = 8_500;
/** Like the API, the console opens its port once the schema is ready, or after 5 s. */
const WAIT_FOR_SCHEMA_MS = 5_000;

/** Starts the operators' console. */
export async function startConsole(stopRequested: Promise<void>): Promise<RunningProcess> {
  const config = loadConfig(process.env, { forConsole: true });
  const logger = createLogger(config, processName('console'));
  const app = await createConsole(config, logger);
  await app.init();
  const schema = app.get(SchemaService).whenReady();
  await withDeadline(Promise.race([schema, stopRequested]), WAIT_FOR_SCHEMA_MS).catch(() => undefined);
  const { port, host, url } = config.console;
  await app.listen(port, host);
  logger.info({ port, url }, 'the console is listening');
  return { logger, stopWithinMs: STOP_WITHIN_MS, stop: () => app.close() };
}
