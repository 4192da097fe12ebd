import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { SharedTrust, typeOrmPool } from './connections.js';
import { Database } from './database.js';
import { ReadReplica } from './read-replica.js';
import { Reads } from './reads.js';
import { ReplicaReads } from './replica-reads.js';
import { SchemaService } from './schema.service.js';

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
  providers: [SharedTrust, Database, ReadReplica, ReplicaReads, Reads, SchemaService],
  exports: [SharedTrust, Database, ReadReplica, ReplicaReads, Reads, SchemaService],
})
export class DatabaseModule {}
