import pg from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { databaseUrl, templateName } from './database.js';

/** Makes a database with every migration applied, from which each test copies its own. @param url of the server. */
export async function buildTemplate(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${templateName}`);
  const source = await new DataSource(dataSourceOptions(databaseUrl(url, templateName))).initialize();
  await source.runMigrations();
  await source.destroy();
  // PostgreSQL does not copy a database that has connections.
  await admin.query(`ALTER DATABASE ${templateName} ALLOW_CONNECTIONS false`);
  await admin.end();
}
