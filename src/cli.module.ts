import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import type { Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import type { Logger } from './core/logger.js';
import { DatabaseModule } from './database/database.module.js';

/** What one group of commands needs besides the database. */
export type CommandFeatures = Pick<ModuleMetadata, 'imports' | 'providers'>;

/**
 * The operator's command line. Each start runs one command, and loading a module costs more than most commands do, so
 * it is composed of no more than that command's features.
 */
@Module({ imports: [DatabaseModule] })
export class CliModule {
  static register(config: Config, logger: Logger, { imports = [], providers = [] }: CommandFeatures): DynamicModule {
    return { module: CliModule, imports: [CoreModule.register(config, logger), ...imports], providers };
  }
}
