import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Manifest } from '../../src/accounting/archive/manifest.js';
import { acquireLock } from '../../src/database/partitions/runs.js';
import { expectBooksToBalance } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { monthsAgo } from '../support/months.js';
import { auditServiceOf } from '../support/planted.js';
import { ArchiveScene, MONTHS, type Watch } from './archive-scene.js';

let scene: ArchiveScene;

beforeEach(async () => {
  scene = await ArchiveScene.make();
});

afterEach(() => scene.close());

const [FIRST, SECOND] = MONTHS;

const directoryOf = (number: number): string => path.join(scene.directory, `orders_p${number}`);

const before =
  (step: string): Watch =>
  (text) => {
    if (text.includes(step)) throw new Error(`interrupted before ${step}`);
  };

/** The number of readers that found no row in the tables of orders, and wait for the table of archived orders. */
async function waitingForReferences(): Promise<number> {
  const rows = await scene.stack.sql(
    `SELECT FROM pg_locks WHERE relation = 'order_references'::regclass AND NOT granted`,
  );
  return rows.length;
}

/** Expects that new orders are accepted, old ones are not bought again, and the books are in order. */
async function expectAllIsWell(): Promise<void> {
  const balance = await scene.stack.wallet(scene.merchant);
  for (const { request, body } of scene.ordered.flat())
    expect(await scene.post(request)).toMatchObject({
      status: 200,
      body: { order_number: body.order_number },
    });
  expect(await scene.stack.wallet(scene.merchant)).toEqual(balance);
  await scene.order();
  for (const full of [false, true]) {
    const { checks } = await auditServiceOf(scene.stack).run({ full });
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  }
}

describe('archiving and restoring', () => {
  it('do not change existing files in the directory, even if they are started several times', async () => {
    await mkdir(directoryOf(1));
    const file = path.join(directoryOf(1), 'orders.copy.gz');
    await writeFile(file, 'those of another installation');
    for (let times = 0; times < 2; times++) await expect(scene.archive(FIRST)).rejects.toThrow('has files in it');
    expect(await readFile(file, 'utf8')).toBe('those of another installation');
    await expectAllIsWell();
  });

  it('write lost or changed files again while the tables still exist', async () => {
    const rows = await scene.rows();
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    await rm(path.join(directoryOf(1), 'orders.copy.gz'));
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    const manifest = path.join(directoryOf(1), 'manifest.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"version"', '"version" '));
    await scene.archive(FIRST);
    await scene.restore(directoryOf(1));
    expect(await scene.rows()).toEqual(rows);
    await expectAllIsWell();
  });

  it('write all files again if the manifest or the directory is lost while the tables still exist', async () => {
    const rows = await scene.rows();
    const manifest = path.join(directoryOf(1), 'manifest.json');
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    await rm(manifest);
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    await writeFile(manifest, '');
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    // Perhaps the disk is only not mounted, and still has the files.
    await rm(directoryOf(1), { recursive: true });
    await expect(scene.archive(FIRST)).rejects.toThrow(
      /orders_p1 is missing: .+ mount its disk, or, if the files are lost, make this directory anew/,
    );
    await mkdir(directoryOf(1));
    await expect(scene.archive(FIRST, before('SET state = CASE'))).rejects.toThrow('interrupted');
    await rm(manifest);
    expect(await scene.archive(SECOND)).toMatchObject([
      { partition: 'orders_p1', orders: 3, from: FIRST },
      { partition: 'orders_p2', orders: 2, through: SECOND },
    ]);
    await expectAllIsWell();
    for (const number of [1, 2]) await scene.restore(directoryOf(number));
    for (const [table, kept] of Object.entries(rows))
      expect([table, (await scene.rows())[table]]).toEqual([table, expect.arrayContaining(kept)]);
  });

  it('drop nothing while the files are in memory, where an earlier version may have written them', async () => {
    await expect(scene.archive(FIRST, before('DROP TABLE'))).rejects.toThrow('interrupted');
    const memory = await mkdtemp('/dev/shm/archive-');
    await rename(directoryOf(1), `${directoryOf(1)}-away`);
    await symlink(memory, directoryOf(1));
    await expect(scene.archive(FIRST)).rejects.toThrow('is in memory');
    expect(await scene.stack.sql(`SELECT to_regclass('orders_p1') IS NOT NULL AS exists`)).toEqual([{ exists: true }]);
    await rm(directoryOf(1));
    await rm(memory, { recursive: true });
    await rename(`${directoryOf(1)}-away`, directoryOf(1));
    expect(await scene.archive(FIRST)).toMatchObject([{ partition: 'orders_p1' }]);
  });

  it('name the remedy if the manifest is lost and the tables are dropped', async () => {
    await expect(scene.archive(FIRST, before(`SET state = 'dropped'`))).resolves.toHaveLength(1);
    await scene.stack.fill(`UPDATE archived_partitions SET state = 'detached'`);
    const manifest = path.join(directoryOf(1), 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await rm(manifest);
    await expect(scene.archive(FIRST)).rejects.toThrow(
      /manifest\.json is missing, changed or damaged, and the tables of orders_p1 are dropped: put back .+ from a copy/,
    );
    await writeFile(manifest, text);
    expect(await scene.archive(FIRST)).toMatchObject([{ partition: 'orders_p1', orders: 3 }]);
  });

  it('can be interrupted at any step of archiving, and continue when they are started again', async () => {
    for (const step of [
      `INSERT INTO archived_partitions`,
      `SET state = CASE`,
      `INSERT INTO order_references`,
      `LOCK TABLE`,
      `DETACH PARTITION`,
      `IS DISTINCT FROM`,
      `DROP TABLE`,
    ]) {
      await expect(scene.archive(FIRST, before(step))).rejects.toThrow(`interrupted before ${step}`);
      await expectAllIsWell();
    }
    expect(await scene.archive(FIRST)).toMatchObject([{ partition: 'orders_p1', orders: 3 }]);
    await expectAllIsWell();
  });

  it('can be interrupted at any step of restoring, and continue when they are started again', async () => {
    const rows = await scene.rows();
    await scene.archive(FIRST);
    for (const step of [
      `CREATE TABLE order_units_p1`,
      `ADD CONSTRAINT fk_order_units_item`,
      `VALIDATE CONSTRAINT`,
      `ATTACH PARTITION`,
      `DELETE FROM order_references`,
      `DROP TRIGGER`,
    ]) {
      await expect(scene.restore(directoryOf(1), before(step))).rejects.toThrow(`interrupted before ${step}`);
      await expectAllIsWell();
    }
    expect(await scene.restore(directoryOf(1))).toEqual({ partition: 'orders_p1', orders: 3 });
    await expectAllIsWell();
    for (const [table, kept] of Object.entries(rows))
      expect([table, (await scene.rows())[table]]).toEqual([table, expect.arrayContaining(kept)]);
    await expectBooksToBalance(scene.stack);
  });

  it('archive several partitions one after the other, and restore any of them', async () => {
    expect(await scene.archive(SECOND)).toMatchObject([
      { partition: 'orders_p1', orders: 3, from: FIRST },
      { partition: 'orders_p2', orders: 2, through: SECOND },
    ]);
    await expectAllIsWell();
    await scene.restore(directoryOf(1));
    await expectAllIsWell();
    expect(await scene.places()).toMatchObject({ orders_p1: 3 });
    await scene.restore(directoryOf(2));
    await expectAllIsWell();
    expect(await scene.places()).toMatchObject({ orders_p1: 3, orders_p2: 2 });
  });

  it('cause no violations in an audit that reads the months meanwhile', async () => {
    for (const move of [() => scene.archive(FIRST), () => scene.restore(directoryOf(1))]) {
      let moved: Promise<unknown> | undefined;
      const { checks } = await auditServiceOf(scene.stack).run({
        full: true,
        onProgress: async (_done, _total, what) => {
          if (what === 'orders') await (moved ??= move());
        },
      });
      expect(moved).toBeDefined();
      expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    }
  });

  it('keep changes from after the copy and before the partition was detached', async () => {
    await scene.nameAtRandom({ reference: 'TLATE00000000001', supplier_reference: 'early' }, scene.ordered[0][0]);
    const late = `UPDATE unit_attempts SET unconfirmed = 'late', supplier_reference = 'late' WHERE order_id < 100`;
    let isWritten = false;
    await scene.archive(FIRST, async (text) => {
      if (!text.includes('SHARE UPDATE EXCLUSIVE') || isWritten) return;
      isWritten = true;
      await scene.stack.sql(late);
    });
    expect(await scene.unknownOf([{ supplierReference: 'late' }])).toEqual([]);
    await scene.restore(directoryOf(1));
    const kept = await scene.stack.sql(`SELECT DISTINCT unconfirmed FROM unit_attempts WHERE order_id < 100`);
    expect(kept).toEqual([{ unconfirmed: 'late' }]);
  });
});

describe('archiving', () => {
  it('is refused until each order has ended and nothing about it is open', async () => {
    const [{ body } = { body: undefined }] = scene.ordered[0];
    const id = `(SELECT id FROM orders WHERE order_number = '${body?.order_number}')`;
    const plant = (text: string): Promise<void> =>
      scene.stack.fill(`SET session_replication_role = 'replica'; ${text}`);
    const obstacles: [plant: string, undo: string, why: RegExp][] = [
      [
        `UPDATE orders SET status = 'processing', open_items = 1 WHERE id = ${id}`,
        `UPDATE orders SET status = 'completed', open_items = 0 WHERE id = ${id}`,
        /the order with id \d+ has not ended/,
      ],
      [
        `UPDATE orders SET updated_at = now() - interval '89 days' WHERE id = ${id}`,
        `UPDATE orders SET updated_at = created_at WHERE id = ${id}`,
        /the order with id \d+ ended less than 90 days ago/,
      ],
      [
        `INSERT INTO supplier_reversals (order_id, item, unit, supplier_id, kind, status, created_at)
         SELECT order_id, item, unit, supplier_id, 'taken_back', 'open', now() FROM order_units WHERE order_id = ${id} LIMIT 1`,
        `UPDATE supplier_reversals SET status = 'closed', closed_at = now()`,
        /has an open discrepancy/,
      ],
      [
        `INSERT INTO attempt_checks SELECT order_id, item, unit, number, now() + interval '1 day' FROM unit_attempts
         WHERE order_id = ${id} LIMIT 1`,
        `DELETE FROM attempt_checks`,
        /must still be queried/,
      ],
    ];
    for (const [change, undo, why] of obstacles) {
      await plant(change);
      await expect(scene.archive(FIRST)).rejects.toThrow(why);
      await plant(undo);
    }
    expect(await scene.archive(FIRST)).toHaveLength(1);
  });

  it('copies the events of the orders from partitions that have no foreign key, too', async () => {
    const { partitioning, stack } = scene;
    await partitioning.events(100n);
    const [newest] = await stack.sql<{ name: string }>(
      `SELECT max(inhrelid::regclass::text) AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
    );
    // As an earlier archive leaves it before PostgreSQL 18: the partitions of its time have the key, and the others none.
    await stack.sql('ALTER TABLE events DROP CONSTRAINT fk_events_order');
    await stack.sql(`ALTER TABLE ${newest?.name} ADD FOREIGN KEY (order_id) REFERENCES orders NOT VALID`);
    const [{ rows } = { rows: 0 }] = await stack.sql<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM events WHERE order_id < 100',
    );
    await scene.archive(FIRST);
    const { tables } = JSON.parse(await readFile(path.join(directoryOf(1), 'manifest.json'), 'utf8')) as Manifest;
    expect(rows).toBeGreaterThan(0);
    expect(tables.filter(({ table }) => table.startsWith('events'))).toMatchObject([
      { table: 'events', key: 'order_id', partition: null, rows },
    ]);
  });

  it('names what is missing: a closed month, time, partitions, a directory', async () => {
    const to = (...args: string[]): string[] => ['month', 'archive', '--through', ...args];
    const none = path.join(directoryOf(1), 'manifest.json');
    const refused: [args: string[], message: RegExp][] = [
      [to(monthsAgo(4), '--to', scene.directory), /is not closed: see topup month list/],
      [to(monthsAgo(1), '--to', scene.directory), /can be archived from \S+ on/],
      [to('2020-01', '--to', scene.directory), /2020-01 is not closed/],
      [to(FIRST, '--to', '/dev/null/x'), /\/dev\/null\/x\S* can't be used: ENOTDIR/],
      [['month', 'restore', directoryOf(1)], /orders_p1\/manifest\.json can't be used: ENOENT/],
    ];
    // One after the other, because a run is refused while another one runs.
    for (const [args, message] of refused) expect(await scene.commandLine.refused(...args)).toMatch(message);
    await writeFile(directoryOf(1), 'a file');
    expect(await scene.commandLine.refused(...to(FIRST, '--to', scene.directory))).toMatch(
      /orders_p1 can't be used: EEXIST/,
    );
    await rm(directoryOf(1));
    expect(existsSync(none)).toBe(false);
    await expectAllIsWell();
  });

  it('removes nothing if the disk is full', async () => {
    await expect(scene.archive(FIRST, before('SET state = CASE'))).rejects.toThrow('interrupted');
    const file = path.join(directoryOf(1), 'order_units.copy.gz');
    await rm(file);
    await symlink('/dev/full', file);
    await expect(scene.archive(FIRST)).rejects.toThrow(/order_units\.copy\.gz can't be used: ENOSPC/);
    expect(await scene.places()).toMatchObject({ orders_p1: 3 });
    await rm(file);
    expect(await scene.archive(FIRST)).toHaveLength(1);
  });

  it('is refused while another run is in progress', async () => {
    await acquireLock(scene.run);
    await expect(scene.archive(FIRST)).rejects.toThrow('another run');
  });
});

describe('restoring', () => {
  it('says that an archive is unfinished, and not that its files are foreign', async () => {
    await expect(scene.archive(FIRST, before('SET state = CASE'))).rejects.toThrow('interrupted');
    await expect(scene.restore(directoryOf(1))).rejects.toThrow('orders_p1 is still being archived');
  });

  it('names only the partitions that exist already, and not the tables that an interrupted restore left', async () => {
    await scene.archive(FIRST);
    await scene.stack.sql('CREATE TABLE orders_p1 (LIKE orders)');
    await scene.stack.sql(
      'CREATE TABLE supplier_calls_p1 PARTITION OF supplier_calls FOR VALUES FROM (MINVALUE) TO (50)',
    );
    await expect(scene.restore(directoryOf(1))).rejects.toThrow('partition supplier_calls_p1 already exists');
  });

  it('never makes an order unknown, even to a reader between the two tables', async () => {
    await scene.archive(FIRST);
    const statuses = new Set<number>();
    let isOver = false;
    const readers = scene.ordered[0].map(async ({ request }) => {
      while (!isOver) statuses.add((await scene.merchant.client.get(`/v1/orders/${request.reference_id}`)).status);
    });
    const client = new pg.Client(scene.stack.config.DATABASE_URL);
    await client.connect();
    try {
      let isLocked = false;
      await scene.restore(directoryOf(1), async (text, values) => {
        if (text.includes('VALIDATE CONSTRAINT') && !isLocked) {
          isLocked = true;
          await client.query('BEGIN; LOCK TABLE order_references');
          await eventually(waitingForReferences, (count) => count === readers.length);
        }
        if (text.includes('DELETE FROM order_references')) {
          await client.query(text, values);
          await client.query('COMMIT');
        }
      });
    } finally {
      isOver = true;
      await client.end();
    }
    await Promise.all(readers);
    expect(statuses).toEqual(new Set([200]));
  });

  it('refuses changed files, and accepts files that were moved to another directory', async () => {
    await scene.archive(FIRST);
    const file = path.join(directoryOf(1), 'orders.copy.gz');
    const content = await readFile(file);
    const changed = Buffer.from(content);
    changed.writeUInt8(255 - content.readUInt8(content.length - 9), content.length - 9);
    await writeFile(file, changed);
    await expect(scene.restore(directoryOf(1))).rejects.toThrow(/orders\.copy\.gz is (damaged|not as it was written)/);
    await writeFile(file, content);
    const manifest = path.join(directoryOf(1), 'manifest.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace('"orders": 3', '"orders": 2'));
    await expect(scene.restore(directoryOf(1))).rejects.toThrow('was not written by this installation');
    await writeFile(manifest, text);
    await expectAllIsWell();
    const moved = path.join(scene.directory, 'moved');
    await rename(directoryOf(1), moved);
    expect(await scene.restore(moved)).toEqual({ partition: 'orders_p1', orders: 3 });
    await expect(scene.restore(moved)).rejects.toThrow('orders_p1 is not archived');
    await expectAllIsWell();
  });

  it('removes the stored references of many purchases in batches', async () => {
    await scene.archive(FIRST);
    await scene.stack.sql(
      `INSERT INTO archived_purchases (supplier_id, reference, order_id)
       SELECT s.id, 'T' || n, 1 + n % 3 FROM suppliers s, generate_series(1, 10001) n WHERE s.code = 'fake'`,
    );
    let pieces = 0;
    await scene.restore(directoryOf(1), (text) => {
      if (text.includes('DELETE FROM archived_purchases')) pieces++;
    });
    expect(pieces).toBe(3);
    expect(await scene.stack.sql('SELECT FROM archived_purchases')).toEqual([]);
  });

  it('locks the tables of orders as briefly if its partition of calls covers several of orders', async () => {
    const late = await ArchiveScene.make({ areCallsLate: true });
    try {
      const rows = await late.rows();
      await late.archive(SECOND);
      let isBrief = false;
      const keys: boolean[] = [];
      await late.restore(path.join(late.directory, 'orders_p2'), (text) => {
        if (text === 'BEGIN') isBrief = true;
        if (text === 'COMMIT' || text === 'ROLLBACK') isBrief = false;
        if (/ADD CONSTRAINT .* REFERENCES order_units\b(?!_p)/.test(text)) keys.push(isBrief);
      });
      expect(keys).toEqual([true]);
      await late.restore(path.join(late.directory, 'orders_p1'));
      expect(await late.rows()).toEqual(rows);
    } finally {
      await late.close();
    }
  });

  it('restores calls of several partitions of orders after their manifest was written again', async () => {
    const late = await ArchiveScene.make({ areCallsLate: true });
    try {
      const rows = await late.rows();
      await late.archive(FIRST);
      await expect(late.archive(SECOND, before('DROP TABLE'))).rejects.toThrow('interrupted');
      await rm(path.join(late.directory, 'orders_p2', 'manifest.json'));
      await late.archive(SECOND);
      await late.restore(path.join(late.directory, 'orders_p2'));
      await late.restore(path.join(late.directory, 'orders_p1'));
      expect(await late.rows()).toEqual(rows);
    } finally {
      await late.close();
    }
  });
});
