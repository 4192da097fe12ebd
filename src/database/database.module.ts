import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { SharedTrust, typeOrmPool } from './connections.js';
import { Database } from './database.js';
import { Reads } from './reads.js';
import { SchemaService } from './schema.service.js';
import { WorkerPresence } from './worker-presence.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG, SharedTrust],
      useFactory: (config: Config, trust: SharedTrust) => ({
        ...dataSourceOptions(config.DATABASE_URL, typeOrmPool(trust)),
        // SchemaService connects, so that a process starts and stays up without PostgreSQL.
        manualInitialization: true,
      }),
    }),
  ],
  providers: [SharedTrust, Database, Reads, SchemaService, WorkerPresence],
  exports: [SharedTrust, Database, Reads, SchemaService, WorkerPresence],
})
export class DatabaseModule {}
