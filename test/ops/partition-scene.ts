import type { INestApplicationContext } from '@nestjs/common';
import type pg from 'pg';
import { NextPartitionsService } from '../../src/database/partitions/next-partitions.service.js';
import { PartitionsRepository, type Partition } from '../../src/database/partitions/partitions.repository.js';
import type { Execute } from '../../src/database/partitions/runs.js';
import type { TableGroup } from '../../src/database/partitions/table-groups.js';
import { eventually } from '../support/eventually.js';
import { untilNotBusy } from '../support/http.js';
import { Partitioning } from '../support/partitioning.js';
import { auditServiceOf } from '../support/planted.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

/** A merchant with money and a product for it, and tables that `npm run partition` may divide. */
export class PartitionScene {
  private constructor(
    readonly stack: TestStack,
    readonly merchant: TestMerchant,
    readonly sku: string,
    readonly partitioning: Partitioning,
  ) {}

  static async make(...how: Parameters<typeof TestStack.start>): Promise<PartitionScene> {
    const stack = await TestStack.start(...how);
    const merchant = await stack.merchant('100000.00');
    const sku = await stack.product('1.00');
    return new PartitionScene(stack, merchant, sku, await Partitioning.connect(stack));
  }

  async close(): Promise<void> {
    await this.partitioning.close();
    await this.stack.close();
  }

  /** A connection like that of `npm run partition`. */
  get run(): Execute {
    return this.partitioning.run;
  }

  get client(): pg.Client {
    return this.partitioning.client;
  }

  /** Gives the next row of the table this id. */
  async goOnAt(table: string, id: bigint | number): Promise<void> {
    await this.stack.sql(`SELECT setval('${table}_id_seq', $1, false)`, [id]);
  }

  /** Repeats the order until the API accepts it, because tables may be locked. */
  place(
    reference: string,
    quantity = 1,
    userId = 'player',
    { client } = this.merchant,
  ): ReturnType<typeof this.merchant.client.post> {
    const items = [{ sku: this.sku, quantity }];
    const body = { reference_id: reference, user_id: userId, items };
    return client.post('/v1/orders', body);
  }

  /** Places an order that gets this id of the table. A refusal for now takes an id, too. */
  async placeAt(table: string, id: bigint, reference: string, quantity?: number, userId?: string): Promise<void> {
    const { status } = await untilNotBusy(async () => {
      await this.goOnAt(table, id);
      return this.place(reference, quantity, userId, { ...this.merchant, client: this.merchant.client.once });
    });
    if (status !== 200) throw new Error(`the order was answered with ${status}`);
  }

  /** The partitions of a group, once workers added the third one. By itself, a worker that found no lock free waits ten minutes. */
  partitionsAhead(workers: INestApplicationContext[], group: TableGroup): Promise<Partition[]> {
    return eventually(
      async () => {
        await Promise.all(workers.map((worker) => worker.get(NextPartitionsService).keepBooksAhead()));
        return new PartitionsRepository(this.run, group).listPartitions();
      },
      ({ length }) => length > 2,
    );
  }

  /** One order after the other. */
  complete(...references: string[]): Promise<void> {
    return this.end(references, 'player', 'completed');
  }

  /** One order after the other, of a player whom the supplier refuses: its calls have rows of their own. */
  refuse(...references: string[]): Promise<void> {
    return this.end(references, 'refused', 'failed');
  }

  private async end(references: string[], userId: string, ending: 'completed' | 'failed'): Promise<void> {
    for (const reference of references) {
      const { status } = await this.place(reference, 1, userId);
      if (status !== 200) throw new Error(`the order was answered with ${status}`);
      await this.stack.orderWith(this.merchant, reference, ending);
    }
  }

  /** The checks of an audit that fail. */
  async faults(options?: { full: boolean }): Promise<object[]> {
    return (await auditServiceOf(this.stack).run(options)).checks.filter(({ ok }) => !ok);
  }
}
