import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { Database } from './database.js';
import { SchemaService } from './schema.service.js';

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
  providers: [Database, SchemaService],
  exports: [Database, SchemaService],
})
export class DatabaseModule {}
