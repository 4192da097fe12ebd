import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { Client } from '../support/http.js';
import { unique } from '../support/stack.js';
import { ArchiveScene, MONTHS } from './archive-scene.js';

interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
  checked: { orders: number; transfers: number };
  archived: object | null;
}

/** The references of an order's first attempt, ours and the supplier's, if ours does not contain the order's number. */
const RANDOM = { reference: 'TARCHIVED0000001', supplier_reference: 'V-4711' };

let scene: ArchiveScene;
let before: Awaited<ReturnType<ArchiveScene['rows']>>;
let entries: object;

/** The first partition is archived by the command line. */
beforeAll(async () => {
  scene = await ArchiveScene.make();
  await scene.nameAtRandom(RANDOM, scene.ordered[0][1]);
  await scene.stack.fill(
    `INSERT INTO supplier_reversals (order_id, item, unit, supplier_id, kind, status, created_at, closed_at)
     SELECT order_id, item, unit, supplier_id, 'bought_late', 'closed', now(), now() FROM order_units WHERE state = 'failed' LIMIT 1`,
  );
  before = await scene.rows();
  entries = await statement();
});

afterAll(() => scene.close());

const statement = async (): Promise<object> =>
  (await scene.merchant.client.get<object>('/v1/wallet/entries?limit=100')).body;

const archive = (through: string): Promise<object[]> =>
  scene.commandLine.json(
    'month',
    'archive',
    '--through',
    through,
    '--to',
    scene.directory,
    '--reason',
    'the disk is full',
  );

const audit = (...options: string[]): Promise<Audit> => scene.commandLine.json('audit', ...options);

const faults = ({ checks }: Audit): string[] => checks.filter(({ ok }) => !ok).map(({ detail }) => detail);

describe('orders of closed months', () => {
  it('move from the database to files, partition by partition, when an operator archives them', async () => {
    const directory = path.join(scene.directory, 'orders_p1');
    const archived = await archive(MONTHS[0]);
    expect(archived).toEqual([
      {
        partition: 'orders_p1',
        directory,
        orders: 3,
        from: MONTHS[0],
        through: MONTHS[0],
        bytes: expect.any(Number),
      },
    ]);
    expect(await scene.places()).toEqual({ orders_p2: 2, orders_p3: 1 });
    expect(existsSync(path.join(directory, 'orders.copy.gz'))).toBe(true);
    expect(await scene.commandLine.json('month', 'archives')).toMatchObject([
      { partition: 'orders_p1', orders: 3, from: MONTHS[0], directory },
    ]);
    expect(await scene.commandLine.json('log', '--action', 'month.archive')).toMatchObject([
      { operator: 'operator-1', reason: 'the disk is full', detail: { partition: 'orders_p1', orders: 3 } },
    ]);
    const tables = await scene.stack.sql(`SELECT relname FROM pg_class WHERE relname LIKE '%\\_p1'`);
    expect(tables).toEqual([]);
  });

  it('are not bought again: a repeated request gets the ended order, and a different one is refused', async () => {
    const wallet = await scene.stack.wallet(scene.merchant);
    for (const { request, body } of scene.ordered[0]) {
      const again = await scene.post(request);
      expect(again.headers.get('Idempotent-Replayed')).toBe('true');
      expect([again.status, again.body]).toEqual([200, withoutDeliveries(body)]);
      const other = await scene.post({ ...request, user_id: 'somebody-else' });
      expect(other).toMatchObject({ status: 409, body: { code: 'DUPLICATE_REFERENCE' } });
    }
    expect(await scene.stack.wallet(scene.merchant)).toEqual(wallet);
  });

  it('are also replayed if a new order would be refused, in a process without other archived orders', async () => {
    const api = await scene.stack.startApi();
    try {
      await api.get(SchemaService).whenReady();
      const client = new Client(scene.stack.urlOf(api), scene.merchant.key);
      const [old] = scene.ordered[0];
      await scene.stack.sql('UPDATE products SET active = false');
      const refused = { ...old?.request, reference_id: unique('refused') };
      const answers = await Promise.all([scene.post(refused, client), scene.post(old?.request ?? {}, client)]);
      expect(answers).toMatchObject([{ status: 400 }, { status: 200, body: { order_number: old?.body.order_number } }]);
    } finally {
      await scene.stack.sql('UPDATE products SET active = true');
      await api.close();
    }
  });

  it('are known purchases if their supplier reports their sale', async () => {
    const number = scene.ordered[0][0]?.body.order_number;
    expect(
      await scene.unknownOf([
        ...[`${number}.1.1`, `${number}.1.1.2`, RANDOM.reference].map((reference) => ({ reference })),
        ...[RANDOM.supplier_reference, `S-${number}.1.2`].map((supplierReference) => ({ supplierReference })),
      ]),
    ).toEqual([]);
    const others = [`${number}.1.3`, `${number}.2.1`, 'ord_ofNobody00000000.1.1', 'TOFNOBODY0000001'];
    const reported = [...others.map((reference) => ({ reference })), { supplierReference: 'V-4712' }];
    expect(await scene.unknownOf(reported)).toEqual([...others, 'V-4712']);
  });

  it('get a discrepancy if their supplier reports the sale of a failed unit', async () => {
    const [completed, unlucky] = scene.ordered[0].map(({ body }) => `${body.order_number}.1`);
    const reported = [`${completed}.1`, `${unlucky}.2`].map((reference) => ({ reference }));
    expect(await scene.unknownOf(reported)).toEqual([`${unlucky}.2`]);
    const [{ detail } = { detail: '' }] = await scene.stack.sql<{ detail: string }>(
      `SELECT detail FROM supplier_reversals WHERE reference = $1`,
      [`${unlucky}.2`],
    );
    expect(detail).toBe('a late callback; our archive records it as not bought');
    // An archive of the previous version has no references of failed purchases. The stored order has its failed items.
    await scene.stack.sql(`DELETE FROM archived_purchases WHERE not_bought`);
    await scene.stack.sql(`DELETE FROM supplier_reversals WHERE reference = $1`, [`${unlucky}.2`]);
    expect(await scene.unknownOf([{ reference: `${unlucky}.2` }])).toEqual([]);
    const number = 'ord_keptAsItWas00000';
    await scene.stack.sql(
      `INSERT INTO order_references (order_id, merchant_id, reference_id, order_number, content_hash, answer)
       SELECT 50, merchant_id, 'kept', $1, content_hash, '[[[1,"SKU",1,3500,3500,"topup","failed",0,1,null,null]]]'
       FROM order_references LIMIT 1`,
      [number],
    );
    expect(await scene.unknownOf([{ reference: `${number}.1.1` }])).toEqual([`${number}.1.1`]);
    await scene.stack.fill(
      `SET session_replication_role = 'replica'; DELETE FROM order_references WHERE order_number = '${number}'`,
    );
  });

  it('do not delay new orders in the batch of a repeated one, in a process that sees archived orders for the first time', async () => {
    const api = await scene.stack.startApi();
    try {
      await api.get(SchemaService).whenReady();
      const client = new Client(scene.stack.urlOf(api), scene.merchant.key);
      const [old] = scene.ordered[0];
      const fresh = Array.from({ length: 5 }, () => ({ ...old?.request, reference_id: unique('fresh') }));
      const answers = await Promise.all(
        [old?.request, ...fresh, old?.request].map((request) => scene.post(request ?? {}, client)),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const numbers = answers.map(({ body }) => body.order_number);
      expect(new Set(numbers).size).toBe(6);
      expect([numbers.at(0), numbers.at(-1)]).toEqual([old?.body.order_number, old?.body.order_number]);
      for (const { reference_id } of fresh) await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    } finally {
      await api.close();
    }
  });

  it('can’t be placed by another writer, either', async () => {
    const [old] = scene.ordered[0];
    const copy = scene.stack.sql(
      `INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                           discount_amount, total_amount, open_items, created_at, updated_at)
       SELECT merchant_id, 'ord_another', $1, content_hash, user_id, 'completed', subtotal_amount, discount_amount,
              total_amount, 0, created_at, updated_at FROM orders LIMIT 1`,
      [old?.request.reference_id],
    );
    await expect(copy).rejects.toMatchObject({ code: '23505', constraint: 'uq_order_references_reference' });
    for (const change of [
      'DELETE FROM order_references',
      `UPDATE order_references SET reference_id = 'x'`,
      'TRUNCATE order_references',
    ])
      await expect(scene.stack.sql(change)).rejects.toMatchObject({ code: '23000' });
  });

  it('are read by their references as before, with codes, and are in no list', async () => {
    for (const { request, body } of scene.ordered[0])
      expect((await scene.merchant.client.get(`/v1/orders/${request.reference_id}`)).body).toEqual(body);
    expect(JSON.stringify(scene.ordered[0])).toContain('CODE-');
    const { body } = await scene.merchant.client.get<{ data: { reference_id: string }[] }>('/v1/orders?limit=100');
    const listed = body.data.map(({ reference_id }) => reference_id);
    for (const { request } of scene.ordered[0]) expect(listed).not.toContain(request.reference_id);
  });

  it('stay on the statement, line by line', async () => {
    const { data } = (await statement()) as { data: object[] };
    const earlier = (entries as { data: object[] }).data;
    expect(data.slice(-earlier.length)).toEqual(earlier);
  });

  it('are missing in reports of their days, which show this', async () => {
    const days = ['--from', `${MONTHS[0]}-15`, '--to', `${MONTHS[0]}-15`];
    const run = (...args: string[]) => scene.commandLine.run('report', ...args);
    const daily = await run('daily', '--date', `${MONTHS[0]}-15`, '--json');
    expect(JSON.parse(daily.stdout)).toMatchObject({ ok: true, archived_orders: 3, total: { orders: 0 } });
    expect((await run('daily', '--date', `${MONTHS[0]}-15`)).stdout).toContain(
      '3 orders of these days are archived: amounts include them, counts of orders do not.',
    );
    const sold = '3 orders that ended on these days are archived: their units are not counted.';
    for (const how of [[], ['--csv'], ['--json']])
      expect((await run('margin', ...days, '--by', 'sku', ...how)).stderr).toContain(sold);
    expect((await run('daily', ...days, '--json')).stderr).toContain('3 orders of these days are archived');
    const since = ['--supplier', 'fake', '--since', `${MONTHS[0]}-01`];
    expect(JSON.parse((await run('supplier', ...since, '--json')).stdout)).toMatchObject({
      archived_orders: 3,
    });
    const later = ['--from', `${MONTHS[1]}-15`, '--to', `${MONTHS[1]}-15`];
    expect((await run('margin', ...later, '--by', 'sku')).stderr).toBe('');
  });

  it('count as missing only in reports that would contain them', async () => {
    const date = ['--date', `${MONTHS[0]}-15`, '--json'];
    const days = ['--from', `${MONTHS[0]}-15`, '--to', `${MONTHS[0]}-15`, '--by', 'sku'];
    const since = ['--since', `${MONTHS[0]}-01`, '--json'];
    const archivedIn = async (...args: string[]): Promise<number> =>
      (JSON.parse((await scene.commandLine.run('report', ...args)).stdout) as { archived_orders: number })
        .archived_orders;
    const warning = async (...args: string[]): Promise<string> =>
      (await scene.commandLine.run('report', 'margin', ...days, ...args)).stderr;
    await scene.stack.sql(
      `INSERT INTO suppliers (code, adapter, base_url, token_sealed, credentials_sealed, credential_names, timeout_ms)
       SELECT 'never-used', adapter, base_url || '/', token_sealed, credentials_sealed, credential_names, timeout_ms
       FROM suppliers WHERE code = 'fake'`,
    );
    expect(await archivedIn('supplier', '--supplier', 'never-used', ...since)).toBe(0);
    await scene.stack.sql(`DELETE FROM suppliers WHERE code = 'never-used'`);
    const ofOne = await scene.commandLine.run('report', 'supplier', '--supplier', 'fake', ...since.slice(0, 2));
    expect(ofOne.stdout).toContain('3 orders placed since then, of any supplier, are archived');
    const setSandbox = (sandbox: boolean): Promise<void> =>
      scene.stack.fill(`
        SET session_replication_role = 'replica';
        UPDATE merchants SET sandbox = ${sandbox} WHERE id = ${scene.merchant.id}`);
    await setSandbox(true);
    try {
      for (const given of [
        ['daily', ...date],
        ['supplier', ...since],
        ['supplier', '--supplier', 'fake', ...since],
      ]) {
        expect([given, await archivedIn(...given)]).toEqual([given, 0]);
        expect([given, await archivedIn(...given, '--include-sandbox')]).toEqual([given, 3]);
      }
      expect(await warning()).toBe('');
      expect(await warning('--include-sandbox')).toContain('3 orders that ended on these days are archived');
    } finally {
      await setSandbox(false);
    }
  });

  it('are named by their discrepancies as before', async () => {
    const named = { order_number: scene.ordered[0][1]?.body.order_number, merchant_id: scene.merchant.id };
    const cases = await scene.commandLine.json<{ id: number }[]>('reversal', 'list');
    expect(cases.at(-1)).toMatchObject({ ...named, unit: '1.2', archived: true });
    expect(await scene.commandLine.json('reversal', 'show', `${cases.at(-1)?.id}`)).toMatchObject(named);
    const change = 'UPDATE supplier_reversals SET status = $2, closed_at = $3 WHERE id = $1';
    await scene.stack.sql(change, [cases.at(-1)?.id, 'open', null]);
    const { stdout } = await scene.commandLine.run('audit');
    await scene.stack.sql(change, [cases.at(-1)?.id, 'closed', new Date()]);
    expect(stdout).toContain(`unit 1.2 of order ${named.order_number} is `);
  });

  it('cause no violations in the audit, which continues from the closings and names the archived orders', async () => {
    expect(faults(await audit())).toEqual([]);
    const full = await audit('--full');
    expect(faults(full)).toEqual([]);
    expect(full.archived).toEqual({ from: MONTHS[0], through: MONTHS[0], orders: 3 });
    expect((await scene.commandLine.run('audit', '--full')).stdout).toContain(
      `Not read: 3 orders of ${MONTHS[0]}, which are archived (topup month archives).`,
    );
  });

  it('stop the removal of their suppliers', async () => {
    await scene.commandLine.refusedAll([[['supplier', 'remove', 'fake'], /orders/]]);
  });

  it('are restored unchanged, row by row', async () => {
    await scene.commandLine.json('month', 'restore', path.join(scene.directory, 'orders_p1'));
    const after = await scene.rows();
    for (const [table, rows] of Object.entries(before))
      expect([table, after[table]]).toEqual([table, expect.arrayContaining(rows)]);
    expect(await scene.places()).toMatchObject({ orders_p1: 3, orders_p2: 2 });
    for (const table of ['order_references', 'archived_purchases'])
      expect(await scene.stack.sql(`SELECT FROM ${table}`)).toEqual([]);
    expect(await scene.unknownOf([{ reference: RANDOM.reference }])).toEqual([]);
    const cases = await scene.commandLine.json<object[]>('reversal', 'list');
    expect(cases.at(-1)).toMatchObject({ archived: false });
    expect(await scene.commandLine.json('month', 'archives')).toEqual([]);
    const full = await audit('--full');
    expect([faults(full), full.archived]).toEqual([[], null]);
    const untried = await scene.stack.sql(`
      SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated
        AND confrelid IN ('orders'::regclass, 'order_units'::regclass, 'unit_attempts'::regclass)`);
    expect(untried).toEqual([]);
    const [old] = scene.ordered[0];
    expect(await scene.post(old?.request ?? {})).toMatchObject({
      status: 200,
      body: { order_number: old?.body.order_number },
    });
  });
});

/** A repeated POST never shows codes. */
const withoutDeliveries = (body: object): object =>
  JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === 'deliveries' ? undefined : value))) as object;
