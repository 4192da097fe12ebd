import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig, type Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import { createLogger, NestLogger, type Logger } from './core/logger.js';
import { processName, startProblem } from './core/process.js';
import { DatabaseModule } from './database/database.module.js';
import { SchemaService } from './database/schema.service.js';

@Module({ imports: [DatabaseModule] })
class MigrationModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return { module: MigrationModule, imports: [CoreModule.register(config, logger)] };
  }
}

// This process has no signal handlers: a signal ends it at once. PostgreSQL rolls an unfinished transaction back, and
// the next start repeats an unfinished build of an index.
try {
  await migrate(process.env);
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}

/**
 * Brings the schema up to date, before the processes of a new version start. Waits for PostgreSQL and the migration lock, and
 * retries failures without limit, because the deployment has its own time limit. Needs only the setting DATABASE_URL.
 * @throws ConfigError
 */
async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
  const config = loadConfig(env, { forCommandLine: true });
  const logger = createLogger(config, processName('migrate'));
  const app = await NestFactory.createApplicationContext(MigrationModule.register(config, logger), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  await app.get(SchemaService).whenReady();
  logger.info('the schema is up to date');
  await app.close();
}
