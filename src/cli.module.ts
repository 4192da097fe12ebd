import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import type { Config } from './core/config.js';
import { CoreModule } from './core/core.module.js';
import type { Logger } from './core/logger.js';
import { DatabaseModule } from './database/database.module.js';

/** The modules and providers that a group of commands needs besides the database. */
export type CommandFeatures = Pick<ModuleMetadata, 'imports' | 'providers'>;

/**
 * The operators' command line. Each start runs one command, and loading modules costs more than most commands. So the module
 * contains only the features of the group to which this command belongs.
 */
@Module({ imports: [DatabaseModule] })
export class CliModule {
  static register(config: Config, logger: Logger, { imports = [], providers = [] }: CommandFeatures): DynamicModule {
    return { module: CliModule, imports: [CoreModule.register(config, logger), ...imports], providers };
  }
}
