import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics, type PurchaseListResult } from '../../src/core/metrics.js';
import { PurchaseListsRepository } from '../../src/fulfilment/reconciliation/purchase-lists.repository.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { type Answer } from '../support/fake-supplier.js';
import { TestStack, unique } from '../support/stack.js';

interface Case {
  id: number;
  reference: string | null;
  detail: string | null;
}

let stack: TestStack;
let commandLine: CommandLine;
const log: string[] = [];

beforeAll(async () => {
  stack = await TestStack.start(
    { LOG_LEVEL: 'warn' },
    { worker: false, logTo: { write: (line) => void log.push(line) } },
  );
  const { DATABASE_URL, secretsKey } = stack.config;
  commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
});

afterEach(async () => {
  for (const { id } of await openDiscrepancies())
    await commandLine.json('reversal', 'close', `${id}`, '--reason', 'end of the test');
});

afterAll(() => closeWithBalancedBooks(stack));

const openDiscrepancies = (): Promise<Case[]> => commandLine.json<Case[]>('reversal', 'list', '--open');
const page = (data: (object | null)[], next_cursor: string | null = null): Answer => ({
  status: 200,
  body: { data, next_cursor },
});

/** Runs a worker that reads the list continually. @param listedAt the time until which the list was read before. */
async function whileRead(
  listedAt: string | null,
  act: (worker: INestApplicationContext) => Promise<unknown>,
): Promise<void> {
  await stack.sql(
    `UPDATE suppliers SET purchases_listed_at = $1, purchases_due_at = NULL, purchases_place = NULL, updated_at = '2026-01-15'`,
    [listedAt],
  );
  const worker = await stack.startWorker({ SUPPLIER_PURCHASES_INTERVAL_MS: 200 });
  try {
    await act(worker);
  } finally {
    await stack.stopWorkers();
  }
}

const untilLonger = (list: unknown[], length: number): Promise<unknown> =>
  eventually(
    () => Promise.resolve(list.length),
    (reached) => reached > length,
  );

/** The number of lists that a worker has read with this result. */
async function listsOf(worker: INestApplicationContext, result: PurchaseListResult): Promise<number> {
  const metric = worker.get(Metrics).registry.getSingleMetric('topup_supplier_purchase_lists_total');
  const { values } = (await metric?.get()) ?? { values: [] };
  return values.find(({ labels }) => labels.result === result)?.value ?? 0;
}

describe('workers', () => {
  it('read lists by themselves, from the time that the restored database has', async () => {
    const reference = unique('ord_gone.3');
    const asked: number[] = [];
    const listedAt = new Date('2026-01-15T08:30:00Z');
    stack.supplier.purchases = (query) => {
      asked.push(Date.parse(query.get('since') ?? ''));
      return page([{ reference, status: 'succeeded' }]);
    };
    await whileRead(listedAt.toISOString(), async () => {
      await eventually(openDiscrepancies, ({ length }) => length === 1);
      await untilLonger(asked, 1);
    });
    expect(asked[0]).toBe(listedAt.getTime() - 3_600_000);
    expect(asked[1]).toBeGreaterThan(listedAt.getTime() + 86_400_000);
    expect(await openDiscrepancies()).toMatchObject([{ reference, detail: 'listed: succeeded' }]);
  });

  it('continue a failed list at the page that they reached, and read it from its start if that page fails again', async () => {
    const asked: (string | null)[] = [];
    const since: (string | null)[] = [];
    let failures = 2;
    stack.supplier.purchases = (query) => {
      const cursor = query.get('cursor');
      asked.push(cursor);
      since.push(query.get('since'));
      if (cursor === null) return page([], 'second');
      if (cursor === 'second') return page([], 'third');
      return failures-- > 0 ? { status: 500 } : page([]);
    };
    await whileRead('2026-01-15', () => untilLonger(asked, 7));
    expect(asked.slice(0, 8)).toEqual([null, 'second', 'third', 'third', null, 'second', 'third', null]);
    expect(new Set(since.slice(0, 7)).size).toBe(1);
    expect(since[7]).not.toBe(since[0]);
  });

  it('remember unreadable entries of the pages that they have read', async () => {
    let asked = 0;
    stack.supplier.purchases = (query) => {
      asked++;
      if (!query.has('cursor')) return page(asked === 1 ? [{}] : [], 'second');
      return asked === 2 ? { status: 500 } : page([{ reference: unique('ord_gone.6'), status: 'failed' }]);
    };
    await whileRead(null, async (worker) => {
      await eventually(
        () => listsOf(worker, 'read'),
        (count) => count > 0,
      );
      expect(await listsOf(worker, 'unread')).toBe(1);
      expect(await listsOf(worker, 'incomplete')).toBe(1);
    });
  });

  it('log the discrepancies that the first page opened, even if the next page cannot be read', async () => {
    const reference = unique('ord_gone.7');
    stack.supplier.purchases = (query) =>
      query.has('cursor') ? { status: 500 } : page([{ reference, status: 'succeeded' }], 'second');
    log.length = 0;
    await whileRead(null, (worker) =>
      eventually(
        () => listsOf(worker, 'unread'),
        (count) => count > 0,
      ),
    );
    const [found] = await openDiscrepancies();
    expect(found).toMatchObject({ reference });
    expect(log).toContainEqual(expect.stringContaining(`"firstDiscrepancy":${found?.id}`));
  });

  it('skip unreadable entries, count such lists, and warn once', async () => {
    const reference = unique('ord_gone.5');
    stack.supplier.purchases = () => page([{ supplier_reference: 'S-1' }, { reference, status: 'succeeded' }]);
    log.length = 0;
    await whileRead(null, (worker) =>
      eventually(
        () => listsOf(worker, 'incomplete'),
        (count) => count > 1,
      ),
    );
    expect(await openDiscrepancies()).toMatchObject([{ reference }]);
    const [{ listed_at: listedAt } = { listed_at: null }] = await stack.sql<{ listed_at: Date | null }>(
      `SELECT purchases_listed_at AS listed_at FROM suppliers WHERE code = 'fake'`,
    );
    expect(listedAt).toEqual(expect.any(Date));
    const warnings = log.filter((line) => line.includes('cannot be read'));
    expect(warnings).toEqual([expect.stringContaining('"unreadableName":"S-1"')]);
  });

  it('warn once if a supplier that had a list now reports that it has none; its report fails', async () => {
    stack.supplier.purchases = () => ({ status: 422 });
    const detail = 'it listed purchases before, and answers now that it has no list';
    log.length = 0;
    await whileRead('2026-01-15', (worker) =>
      eventually(
        () => listsOf(worker, 'unread'),
        (count) => count > 1,
      ),
    );
    expect(log.filter((line) => line.includes(detail))).toHaveLength(1);
    const report = ['report', 'supplier', '--supplier', 'fake', '--json'];
    const { stdout } = await commandLine.run(...report);
    expect(JSON.parse(stdout)).toMatchObject({
      suppliers: [{ ok: false, listed: null, problem: `list of purchases: ${detail}` }],
    });
    await stack.addSupplier('fake', `${stack.supplier.url}/moved`);
    const [moved] = await stack.sql(`SELECT purchases_listed_at FROM suppliers WHERE code = 'fake'`);
    await stack.addSupplier('fake', stack.supplier.url);
    expect(moved).toEqual({ purchases_listed_at: null });
  });

  it('note nothing of a list that was read in another account', async () => {
    const before = await stack.api.get(SuppliersService).getByCode('fake');
    const account = (name: string): Promise<object[]> =>
      stack.sql(`UPDATE suppliers SET account = $1, purchases_listed_at = NULL WHERE code = 'fake'`, [name]);
    await account('another');
    await stack.api.get(PurchaseListsRepository).record(before, new Date());
    const after = await stack.api.get(SuppliersService).getByCode('fake');
    await account(before.account);
    expect(after.purchases_listed_at).toBeNull();
  });
});
