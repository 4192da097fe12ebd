import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { Database } from './database.js';
import { SchemaService } from './schema.service.js';
import { WorkerPresence } from './worker-presence.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        ...dataSourceOptions(config.DATABASE_URL),
        // SchemaService connects, so that a process starts and stays up without PostgreSQL.
        manualInitialization: true,
      }),
    }),
  ],
  providers: [Database, SchemaService, WorkerPresence],
  exports: [Database, SchemaService, WorkerPresence],
})
export class DatabaseModule {}
