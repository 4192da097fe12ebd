import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadConfig, type Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import { createLogger, NestLogger, type Logger } from './core/logger.js';
import { processName } from './core/process.js';
import { DatabaseModule } from './database/database.module.js';
import { SchemaService } from './database/schema.service.js';

@Module({ imports: [DatabaseModule] })
class MigrationModule {
  static register(config: Config, logger: Logger): DynamicModule {
    return { module: MigrationModule, imports: [CoreModule.register(config, logger)] };
  }
}

/**
 * Brings the schema up to date and resolves then, for what runs before the processes of a new version start. It waits for
 * PostgreSQL and for its turn, and tries again what failed: whoever starts it decides for how long. Of the environment it
 * needs DATABASE_URL only.
 * @throws ConfigError
 */
export async function migrate(env: NodeJS.ProcessEnv): Promise<void> {
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
