import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig } from './core/config.js';
import { withDeadline } from './core/durations.js';
import { createLogger, NestLogger, type Logger } from './core/logger.js';
import { processName, type RunningProcess } from './core/process.js';
import { SchemaService } from './database/schema.service.js';
import { SuppliersService } from './suppliers/suppliers.service.js';
import { ManagementServer } from './monitoring/management/management-server.js';
import { WorkerModule } from './worker.module.js';

const STOP_WITHIN_MS = 17_000;
const DEFAULT_MANAGEMENT_PORT = 9465;

/** Starts a worker. @throws if it cannot start. */
export async function startWorker(): Promise<RunningProcess> {
  const config = loadConfig(process.env);
  const logger = createLogger(config, processName('worker'));
  const app = await NestFactory.createApplicationContext(WorkerModule.register(config, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  await app.get(ManagementServer).listen(DEFAULT_MANAGEMENT_PORT);
  logger.info('the worker is working');
  void checkTiming(app, logger, config.NODE_ENV === 'production');
  return { logger, stopWithinMs: STOP_WITHIN_MS, stop: () => app.close() };
}

/**
 * Reports suppliers whose timeout contradicts SUPPLIER_QUIET_PERIOD_MS, once the schema is ready.
 * @param isFatal whether such a supplier ends the process, as in production.
 */
async function checkTiming(app: INestApplicationContext, logger: Logger, isFatal: boolean): Promise<void> {
  if (!(await app.get(SchemaService).whenReady())) return;
  const problems = await app
    .get(SuppliersService)
    .listTimingProblems()
    .catch((error: unknown) => {
      logger.warn({ reason: (error as Error).message }, 'the timing of suppliers could not be checked');
      return [];
    });
  for (const problem of problems) logger[isFatal ? 'fatal' : 'warn'](problem);
  if (!isFatal || problems.length === 0) return;
  console.error(['The worker ends, because the timing of suppliers is wrong:', ...problems].join('\n  '));
  // It may have begun calls already: they end first.
  await withDeadline(app.close(), STOP_WITHIN_MS).catch(() => undefined);
  process.exit(1);
}
