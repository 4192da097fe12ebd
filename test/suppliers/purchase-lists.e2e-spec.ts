import { beforeAll, describe, expect, it } from '@jest/globals';
import { refused, type Answer } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { purchasesScene } from './purchases-scene.js';

const scene = purchasesScene();
let sku: string;

beforeAll(async () => {
  sku = await scene.stack.product('35.00');
});

const page = (data: (object | null)[], next_cursor: string | null = null): Answer => ({
  status: 200,
  body: { data, next_cursor },
});
const completed = async (): Promise<OrderBody> => {
  const order = await scene.stack.order(scene.merchant, [{ sku }]);
  return scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');
};

describe('a supplier’s list of purchases', () => {
  it('opens a discrepancy, once, for each purchase of no known order', async () => {
    const order = await completed();
    const reference = unique('ord_gone.1');
    const bought = {
      sku: 'MLBB-86',
      user_id: '123456789',
      server_id: '2001',
      created_at: '2026-01-15T08:30:00.5Z',
    };
    scene.stack.supplier.purchases = () =>
      page([
        { reference: `${order.order_number}.1.1`, status: 'succeeded' },
        {
          reference,
          status: 'succeeded',
          ...bought,
          cost: '29.50',
          currency: 'THB',
          supplier_reference: 'S-9',
        },
        { reference: unique('ord_failed.1'), status: 'failed', failure_code: 'OUT_OF_STOCK' },
      ]);
    expect(await scene.report()).toMatchObject({ ok: false, listed: 3, unknown: 1, open_cases: 1 });
    expect(await scene.openDiscrepancies()).toMatchObject([
      {
        order_number: null,
        reference,
        supplier_sku: 'MLBB-86',
        player: '123456789 2001',
        amount: '29.5',
        bought_at: '2026-01-15T08:30:00.500Z',
        detail: 'listed: succeeded',
        supplier_reference: 'S-9',
      },
    ]);
    expect(await scene.report()).toMatchObject({ ok: false, listed: 3, unknown: 0, open_cases: 1 });
  });

  it('opens none for a purchase of a supplier that has moved, if another code is at its old address', async () => {
    const { url } = scene.stack.supplier;
    const { order_number: order } = await completed();
    await scene.stack.addSupplier('fake', `${url}/moved`);
    await scene.stack.addSupplier('former', url);
    const gone = unique('ord_gone.5');
    const references = [`${order}.1.1`, gone];
    scene.stack.supplier.purchases = () => page(references.map((reference) => ({ reference, status: 'succeeded' })));
    expect(await scene.report('--supplier', 'former')).toMatchObject({ listed: 2, unknown: 1 });
    expect((await scene.openDiscrepancies()).map(({ reference }) => reference)).toEqual([gone]);
    await scene.stack.addSupplier('fake', url);
  });

  it('opens them there for a sale of its failed unit, and for a second one under the reference of a bought unit', async () => {
    const { url } = scene.stack.supplier;
    const { order_number: bought } = await completed();
    const player = unique('player');
    scene.stack.supplier.script(player, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], player);
    const { order_number: failed } = await scene.stack.orderWith(scene.merchant, reference_id, 'failed');
    await scene.stack.addSupplier('fake', `${url}/moved`);
    await scene.stack.addSupplier('former', url);
    scene.stack.supplier.purchases = () =>
      page([
        { reference: `${failed}.1.1`, status: 'succeeded' },
        { reference: `${bought}.1.1`, status: 'succeeded', supplier_reference: 'S-second' },
      ]);
    expect(await scene.report('--supplier', 'former')).toMatchObject({ listed: 2, unknown: 2 });
    const references = (await scene.openDiscrepancies()).map(({ reference }) => reference);
    expect(new Set(references)).toEqual(new Set([`${bought}.1.1`, `${failed}.1.1`]));
    await scene.stack.addSupplier('fake', url);
  });

  it('is read page by page, from the requested time on', async () => {
    const asked: URLSearchParams[] = [];
    scene.stack.supplier.purchases = (query) => {
      asked.push(query);
      const at = Number(query.get('cursor') ?? '0');
      return page([{ reference: unique('ord_gone.2'), status: 'processing' }], at < 2 ? `${at + 1}` : null);
    };
    expect(await scene.report('--since', '2026-01-15T00:00:00Z')).toMatchObject({ listed: 3, unknown: 3 });
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, '1', '2']);
    expect(new Set(asked.map((query) => query.get('since')))).toEqual(new Set(['2026-01-15T00:00:00.000Z']));
  });

  it('is optional', async () => {
    for (const status of [404, 405, 410, 501, 400, 422]) {
      scene.stack.supplier.purchases = () => ({ status });
      expect(await scene.report()).toMatchObject({ ok: true, listed: null, unknown: 0, problem: null });
    }
  });

  it('may have unreadable entries, which are counted', async () => {
    const [before, between, after] = [unique('ord_gone.4'), unique('ord_gone.4'), unique('ord_gone.4')];
    const unreadable = [null, { status: 'succeeded', supplier_reference: 'S-1' }, { reference: 7 }];
    scene.stack.supplier.purchases = (query) =>
      query.has('cursor')
        ? page([{ reference: after, status: 'succeeded' }, { reference: 'x'.repeat(256) }])
        : page([{ reference: before }, ...unreadable, { reference: between }], '1');
    expect(await scene.report()).toMatchObject({
      ok: false,
      listed: 3,
      unreadable: 4,
      unknown: 3,
      problem: 'list of purchases: 4 entries can’t be read (the supplier calls one of them S-1)',
    });
    expect((await scene.openDiscrepancies()).map(({ reference }) => reference)).toEqual([after, between, before]);
  });

  it('is read in part if a later page is refused', async () => {
    for (const status of [400, 404]) {
      scene.stack.supplier.purchases = (query) => (query.has('cursor') ? { status } : page([], '1'));
      expect(await scene.report()).toMatchObject({ ok: false, problem: `list of purchases: HTTP ${status}` });
    }
  });

  it.each<[string, Answer, string]>([
    ['fails', { status: 500 }, 'list of purchases: HTTP 500'],
    ['is none', { status: 200, body: [] }, 'list of purchases: the list of purchases can’t be read'],
    [
      'names no purchase',
      page([{ status: 'succeeded' }]),
      'list of purchases: no entry in the list of purchases can be read',
    ],
    ['never ends', page([], 'same'), 'list of purchases: the list of purchases does not end'],
  ])('makes the comparison incomplete if it %s', async (_what, answer, problem) => {
    scene.stack.supplier.purchases = () => answer;
    expect(await scene.report()).toMatchObject({ ok: false, listed: null, problem });
  });
});

describe('a statement file of a supplier', () => {
  it('is read like its list', async () => {
    const order = await completed();
    const [gone, failed] = [unique('T'), unique('T')];
    scene.stack.supplier.purchases = () => ({ status: 500 });
    const file = scene.statement(
      'No,Ref ID,Keterangan,Tujuan',
      `1,${order.order_number}.1.1,Sukses,1`,
      `2,${gone},Terkirim,123`,
      `3,${failed},Batal,124`,
    );
    const format = ['--column', 'reference=Ref ID', '--column', 'status=Keterangan', '--column', 'player=Tujuan'];
    const words = ['--bought', 'Terkirim', '--not-bought', 'Batal'];
    expect(await scene.report('--statement', file, ...format, ...words)).toMatchObject({
      listed: 3,
      unknown: 1,
    });
    expect(await scene.openDiscrepancies()).toMatchObject([
      { reference: gone, player: '123', detail: 'statement.csv, line 3: Terkirim' },
    ]);
  });

  it('opens no discrepancy for purchases before the given time, and names unknown statuses', async () => {
    const [older, since, unclear] = [unique('T'), unique('T'), unique('T')];
    const file = scene.statement(
      'reference,status,bought_at',
      `${older},Sukses,2026-01-14T23:59:59Z`,
      `${since},Sukses,2026-01-15T00:00:00Z`,
      `${unclear},Selesai,`,
    );
    expect(await scene.report('--statement', file, '--since', '2026-01-15T00:00:00Z')).toMatchObject({
      listed: 2,
      unknown: 2,
      statement: {
        name: 'statement.csv',
        passed_over: 1,
        unclear_statuses: [{ status: 'Selesai', lines: 1 }],
      },
    });
    expect((await scene.openDiscrepancies()).map(({ reference }) => reference)).toEqual([unclear, since]);
    const args = ['report', 'supplier', '--supplier', 'fake', '--statement', file];
    const { stdout } = await scene.commandLine.run(...args, '--since', '2026-01-15T00:00:00Z');
    expect(stdout).toContain('1 line has an unknown status');
    expect(stdout).toContain('"Selesai" (1)');
    expect(stdout).toContain('1 purchase of statement.csv from before --since opened no discrepancy.');
    expect(await scene.report('--statement', file)).toMatchObject({ listed: 3, unknown: 1 });
  });

  it('is refused with a reason if it can’t be read, or if its supplier or file is not named', async () => {
    const file = scene.statement('sku', 'ml86');
    const refused = (...args: string[]): Promise<string> => scene.commandLine.refused('report', 'supplier', ...args);
    expect(await refused('--supplier', 'fake', '--statement', file)).toMatch(
      /statement.csv could not be read:\n {2}one of reference and supplier_reference must be a column/,
    );
    expect(await refused('--statement', file)).toMatch(/give the supplier of the statement with --supplier/);
    expect(await refused('--statement', file, '--column', 'ref=Ref ID')).toMatch(/It must be name=header/);
    const twice = ['--column', 'reference=Ref ID', '--column', 'reference=No'];
    expect(await refused('--statement', file, ...twice)).toMatch(/The column reference is given twice/);
    expect(await refused('--supplier', 'fake', '--not-bought', 'Batal')).toMatch(/are for --statement: give its file/);
  });
});
