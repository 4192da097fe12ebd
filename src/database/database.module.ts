import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { SharedTrust, typeOrmPool } from './connections.js';
import { Database } from './database.js';
import { ReadReplicaService } from './read-replica.service.js';
import { BoundedReadsService } from './bounded-reads.service.js';
import { ReplicaReadsService } from './replica-reads.service.js';
import { SchemaService } from './schema.service.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [CONFIG, SharedTrust],
      useFactory: (config: Config, trust: SharedTrust) => ({
        ...dataSourceOptions(config.DATABASE_URL, typeOrmPool(config, trust)),
        // SchemaService connects, so that a process starts and stays up without PostgreSQL.
        manualInitialization: true,
      }),
    }),
  ],
  providers: [SharedTrust, Database, ReadReplicaService, ReplicaReadsService, BoundedReadsService, SchemaService],
  exports: [SharedTrust, Database, ReadReplicaService, ReplicaReadsService, BoundedReadsService, SchemaService],
})
export class DatabaseModule {}
