import { fileURLToPath } from 'node:url';
import { DataSource, type DataSourceOptions } from 'typeorm';

const here = fileURLToPath(new URL('.', import.meta.url));
// The same file serves the sources (tests, through swc) and the build (`dist/ormconfig.js`).
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * The one place that says how TypeORM reaches the database: the processes, the command line and the tests use it.
 * @param url a `postgres://` connection string.
 */
export function dataSourceOptions(url: string): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    entities: [`${here}src/**/*.entity.${extension}`],
    migrations: [`${here}src/database/migrations/*.${extension}`],
    migrationsTableName: 'schema_migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: { max: 4, connectionTimeoutMillis: 3_000, keepAlive: true, application_name: 'topup-orm' },
  };
}

/** For the TypeORM command line: `typeorm -d dist/ormconfig.js migration:show`. */
export default new DataSource(dataSourceOptions(process.env.DATABASE_URL ?? ''));
