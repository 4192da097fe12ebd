import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { keepAhead } from '../../src/database/partitions/divide.js';
import { TRANSFERS } from '../../src/database/partitions/table-groups.js';
import { PartitionsRepository } from '../../src/database/partitions/partitions.repository.js';
import type { Execute } from '../../src/database/partitions/runs.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import type { TestStack } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { openManagementPort, Scrape } from './management.js';
import { PartitionScene } from './partition-scene.js';

const SIZE = 2_000_000n;

let scene: PartitionScene;
let stack: TestStack;
let run: Execute;
let client: pg.Client;

beforeEach(async () => {
  scene = await PartitionScene.make();
  ({ stack, run, client } = scene);
});

afterEach(() => scene.close());

const partition = (by?: Execute): Promise<void> => scene.partitioning.transfers(SIZE, by);

const credit = (reference: string, amount = 500n): Promise<unknown> =>
  untilDone(() =>
    stack.api.get(WalletService).credit({ merchantId: scene.merchant.id, amount, reference, operator: 'test' }),
  );

/** The partition and the kind of each movement, in the order of ids. */
async function places(): Promise<string[]> {
  const rows = await stack.sql<{ place: string }>(
    `SELECT kind || ' ' || substring(tableoid::regclass::text FROM '_p.*') AS place FROM transfers ORDER BY id`,
  );
  return rows.map(({ place }) => place);
}

/** Copies a movement with another id. $1 the id, $2 the kind of the copied movement. */
const COPY = `
  INSERT INTO transfers (id, merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, reference)
  SELECT $1, merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, reference
  FROM transfers WHERE kind = $2 ORDER BY id LIMIT 1`;

describe('movements of money that become partitioned', () => {
  it('work as before: old ones are kept, and open orders end beyond the boundary', async () => {
    await scene.complete('before');
    let isOver = false;
    let count = 0;
    const placing = (async () => {
      for (; !isOver; count++) await scene.complete(`meanwhile-${count}`);
    })();
    await partition();
    isOver = true;
    await placing;
    await scene.placeAt('transfers', SIZE - 1n, 'across');
    await stack.orderWith(scene.merchant, 'across', 'completed');
    await credit('later');
    expect((await places()).slice(-4)).toEqual(['order_spend _p1', 'order_hold _p1', 'order_spend _p2', 'credit _p2']);
    const { body } = await scene.merchant.client.get<{ data: { reference_id: string }[] }>('/v1/wallet/entries');
    expect(body.data.map(({ reference_id: reference }) => reference).slice(0, 2)).toEqual(['later', 'across']);
    await expectBooksToBalance(stack);
    expect(await scene.faults({ full: true })).toEqual([]);
  });

  it('are unique for each order and reference in all partitions', async () => {
    await scene.complete('one');
    await credit('deposit');
    await partition();
    await scene.goOnAt('transfers', SIZE);
    await expect(credit('deposit', 400n)).rejects.toThrow();
    await credit('another');
    for (const [kind, constraint] of [
      ['order_hold', 'uq_transfers_order_kind'],
      ['order_spend', 'uq_transfers_order_kind'],
      ['credit', 'uq_transfers_reference'],
    ])
      await expect(client.query(COPY, [SIZE + 10n, kind])).rejects.toMatchObject({
        code: '23505',
        constraint,
      });
    await expectBooksToBalance(stack);
  });

  it('are unique even if two are written at the same moment', async () => {
    await partition();
    await stack.stopWorkers();
    await scene.place('open');
    const end = `
      INSERT INTO transfers (id, merchant_id, kind, debit_account, credit_account, amount, available_after, order_id)
      SELECT $1, merchant_id, 'order_refund', 'held', 'available', amount, available_after, order_id
      FROM transfers WHERE kind = 'order_hold'`;
    const other = new pg.Client(stack.config.DATABASE_URL);
    await other.connect();
    try {
      await client.query('BEGIN');
      await client.query(end, [500n]);
      const second = expect(other.query(end, [SIZE])).rejects.toMatchObject({ code: '23505' });
      await stack.sql('SELECT 1');
      await client.query('COMMIT');
      await second;
    } finally {
      await other.end();
    }
  });

  it('can’t be changed, or refer to an unknown order, in any partition', async () => {
    await scene.complete('one');
    await partition();
    await scene.goOnAt('transfers', SIZE);
    await scene.complete('two');
    for (const table of ['transfers', 'transfers_p1', 'transfers_p2'])
      for (const change of [`UPDATE ${table} SET amount = 1`, `DELETE FROM ${table}`])
        await expect(client.query(change)).rejects.toMatchObject({
          constraint: 'tg_transfers_immutable',
        });
    await expect(client.query('TRUNCATE transfers_p2')).rejects.toThrow();
    const orphan = `
      INSERT INTO transfers (id, merchant_id, kind, debit_account, credit_account, amount, available_after, order_id)
      VALUES ($1, ${scene.merchant.id}, 'order_hold', 'available', 'held', 1, 1, 999)`;
    for (const id of [900n, SIZE + 900n])
      await expect(client.query(orphan, [id])).rejects.toMatchObject({
        constraint: 'fk_transfers_order',
      });
  });

  it.each(['orders', 'transfers'])('work with partitions of orders, first %s', async (first) => {
    await scene.complete('before');
    const orders = (): Promise<void> => scene.partitioning.orders(1_000_000n);
    for (const work of first === 'orders' ? [orders, partition] : [partition, orders]) await work();
    await scene.complete('between');
    await scene.goOnAt('transfers', SIZE);
    await scene.goOnAt('orders', 1_000_000n);
    await scene.complete('after');
    const added = await untilDone(() => keepAhead(run, TRANSFERS));
    expect(added).toMatchObject([{ number: 3, upper: String(3n * SIZE) }]);
    await scene.goOnAt('transfers', 2n * SIZE);
    await scene.complete('last');
    expect((await places()).slice(-4)).toEqual([
      'order_hold _p2',
      'order_spend _p2',
      'order_hold _p3',
      'order_spend _p3',
    ]);
    const untried = await stack.sql(
      `SELECT conname, conrelid::regclass FROM pg_constraint
       WHERE NOT convalidated AND (conrelid::regclass::text ~ '^transfers' OR confrelid::regclass::text ~ '^transfers')`,
    );
    expect(untried).toEqual([]);
    for (const id of [900n, SIZE + 900n, 2n * SIZE + 900n])
      await expect(
        client.query(COPY.replace('order_id, reference\n', '999999, reference\n'), [id, 'order_hold']),
      ).rejects.toMatchObject({ code: '23503' });
    await expectBooksToBalance(stack);
  });

  it('get the next partition from a worker, and a metric of the ids that are left', async () => {
    const port = await openManagementPort(stack.api, 0);
    const left = async (): Promise<Record<string, number>> => {
      const scrape = await eventually(
        () => Scrape.of(port),
        (metrics) => metrics.value('topup_database_size_bytes') !== undefined,
      );
      const samples = ['topup_partition_ids_left', 'topup_partition_ids'].map((name) => scrape.samples(name));
      return Object.fromEntries(
        samples.flatMap((each, index) =>
          each.map(({ labels: { table = '' }, value }) => [`${table} ${['left', 'of'][index]}`, value]),
        ),
      );
    };
    expect(await left()).toEqual({});
    await partition();
    await scene.goOnAt('transfers', SIZE);
    await credit('one');
    const ofBoth = await eventually(left, (names) => Object.keys(names).length > 0);
    expect(ofBoth).toEqual({ 'transfers left': Number(SIZE), 'transfers of': Number(SIZE) });
    const workers = await Promise.all([stack.startWorker(), stack.startWorker()]);
    const partitions = await scene.partitionsAhead(workers, TRANSFERS);
    expect(partitions.map(({ upper }) => upper)).toEqual([1n, 2n, 3n].map((times) => String(times * SIZE)));
  });

  it('can be partitioned after an interruption at any step', async () => {
    await scene.complete('one');
    for (const step of ['VALIDATE', 'ATTACH', 'CREATE TABLE transfers_p2', 'ANALYZE']) {
      await expect(partition(scene.partitioning.interruptedAt(step))).rejects.toThrow('interrupted');
      await scene.complete(`after-${step.replaceAll(' ', '-')}`);
    }
    await partition();
    await partition();
    expect(await new PartitionsRepository(run, TRANSFERS).listPartitions()).toHaveLength(2);
    const left = await stack.sql(`SELECT conname FROM pg_constraint WHERE conname ~ 'first_partition'`);
    expect(left).toEqual([]);
    await expectBooksToBalance(stack);
  });
});
