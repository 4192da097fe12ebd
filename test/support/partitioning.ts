import pg from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import type { Logger } from '../../src/core/logger.js';
import { createIndexConcurrently } from '../../src/database/concurrent-index.js';
import { FOR_MIGRATIONS } from '../../src/database/connections.js';
import { divideInPlace } from '../../src/database/partitions/divide.js';
import { partitionEvents } from '../../src/database/partitions/partition-events.js';
import { ORDERS, TRANSFERS } from '../../src/database/partitions/table-groups.js';
import { executeOn, type Execute } from '../../src/database/partitions/runs.js';
import type { TestStack } from './stack.js';

/** Makes the calls to suppliers one table, like the previous version, which did not partition them with orders. */
export const LEAVE_CALLS_WHOLE = `
  ALTER TABLE supplier_calls DETACH PARTITION supplier_calls_p1;
  DROP TABLE supplier_calls;
  ALTER TABLE supplier_calls_p1 RENAME TO supplier_calls;
  ALTER INDEX ix_supplier_calls_unit_p1 RENAME TO ix_supplier_calls_unit;
  ALTER TABLE supplier_calls ALTER id ADD GENERATED ALWAYS AS IDENTITY (START 1000);
  ALTER TABLE supplier_calls DROP CONSTRAINT fk_supplier_calls_unit;
  ALTER TABLE supplier_calls ADD CONSTRAINT fk_supplier_calls_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units NOT VALID`;

/** A connection to a stack's database like that of `npm run partition`, with the command's work. */
export class Partitioning {
  readonly run: Execute;

  private constructor(
    readonly client: pg.Client,
    private readonly logger: Logger,
  ) {
    this.run = executeOn(client);
  }

  static async connect({ config, logger }: TestStack): Promise<Partitioning> {
    const client = new pg.Client({ ...FOR_MIGRATIONS, connectionString: config.DATABASE_URL });
    await client.connect();
    return new Partitioning(client, logger);
  }

  orders(perPartition: bigint, by = this.run): Promise<void> {
    return divideInPlace(by, ORDERS, perPartition, this.logger);
  }

  transfers(perPartition: bigint, by = this.run): Promise<void> {
    return divideInPlace(by, TRANSFERS, perPartition, this.logger);
  }

  events(perPartition: bigint, by = this.run): Promise<void> {
    return partitionEvents(by, perPartition, this.logger);
  }

  /** Fails instead of the first statement that contains these words. */
  interruptedAt(words: string): Execute {
    return (text, values) => (text.includes(words) ? Promise.reject(new Error('interrupted')) : this.run(text, values));
  }

  close(): Promise<void> {
    return this.client.end();
  }
}

/** Creates an index like a migration, without blocking writers. It runs twice, as after an interruption. */
export const createIndexTwice = (
  stack: TestStack,
  ...index: [name: string, table: Parameters<typeof createIndexConcurrently>[2], definition: string]
): Promise<void> =>
  asMigration(stack, async (runner) => {
    for (let times = 0; times < 2; times++) await createIndexConcurrently(runner, ...index);
  });

/** Works on a stack's database on a connection as migrations have it. */
export async function asMigration({ config }: TestStack, work: (runner: QueryRunner) => Promise<void>): Promise<void> {
  const source = await new DataSource(dataSourceOptions(config.DATABASE_URL)).initialize();
  const runner = source.createQueryRunner();
  try {
    await work(runner);
  } finally {
    await runner.release();
    await source.destroy();
  }
}
