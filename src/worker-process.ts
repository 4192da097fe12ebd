import { NestFactory } from '@nestjs/core';
import { loadConfig } from './core/config.js';
import { createLogger, NestLogger } from './core/logger.js';
import { processName, type RunningProcess } from './core/process.js';
import { ManagementServer } from './ops/management/management-server.js';
import { WorkerModule } from './worker.module.js';

const STOP_WITHIN_MS = 17_000;
const DEFAULT_MANAGEMENT_PORT = 9465;

/** Starts a worker. @throws what keeps it from starting. */
export async function startWorker(): Promise<RunningProcess> {
  const config = loadConfig(process.env);
  const logger = createLogger(config, processName('worker'));
  const app = await NestFactory.createApplicationContext(WorkerModule.register(config, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  await app.get(ManagementServer).listen(DEFAULT_MANAGEMENT_PORT);
  logger.info('the worker is working');
  return { logger, stopWithinMs: STOP_WITHIN_MS, stop: () => app.close() };
}
