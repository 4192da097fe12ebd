import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { MonthArchiveService, type Archived } from '../../src/accounting/archive/month-archive.service.js';
import { MonthRestoreService, type Restored } from '../../src/accounting/archive/month-restore.service.js';
import {
  ArchiveConnectionsService,
  type ArchiveConnection,
} from '../../src/accounting/archive/archive-connections.service.js';
import { ClosingsRepository } from '../../src/accounting/audit/closings.repository.js';
import { localDataDir } from '../../src/core/project-root.js';
import { keepAhead } from '../../src/database/partitions/divide.js';
import { ORDERS } from '../../src/database/partitions/table-groups.js';
import type { Execute } from '../../src/database/partitions/runs.js';
import { UnknownPurchasesRepository } from '../../src/fulfilment/reconciliation/unknown-purchases.repository.js';
import { CommandLine } from '../cli/command-line.js';
import { sellsCodes } from '../deliveries/handed-over.js';
import { refused } from '../support/fake-supplier.js';
import { monthsAgo, moveTo } from '../support/months.js';
import { LEAVE_CALLS_WHOLE, Partitioning } from '../support/partitioning.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';

/** How many ids a partition has. */
export const SIZE = 100n;
/** The months of the orders in the first and in the second partition. */
export const MONTHS = [monthsAgo(6), monthsAgo(5)] as const;

/** A request for an order, and the resulting order. */
export interface Ordered {
  request: { reference_id: string; user_id: string; items: { sku: string; quantity?: number }[] };
  /** The ended order as its merchant read it. */
  body: OrderBody;
}

/** Sees each statement before a connection sends it. @throws to interrupt the work. */
export type Watch = (text: string, values?: unknown[]) => void | Promise<void>;

/** Orders in three partitions: two with a closed month each, and the current one. */
export class ArchiveScene {
  readonly commandLine: CommandLine;
  /** Orders by their partition. */
  readonly ordered: [Ordered[], Ordered[], Ordered[]] = [[], [], []];
  private readonly services: Pick<TestStack, 'config' | 'database'>;

  private constructor(
    readonly stack: TestStack,
    readonly merchant: TestMerchant,
    readonly directory: string,
    readonly skus: { topUp: string; code: string },
    readonly partitioning: Partitioning,
  ) {
    this.services = stack;
    this.commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  }

  /** @param areCallsLate whether calls to suppliers were divided later, so that their first partition covers two of orders. */
  static async make({ areCallsLate = false } = {}): Promise<ArchiveScene> {
    const stack = await TestStack.start({ MONTH_CLOSE_AFTER_DAYS: '0' });
    const merchant = await stack.merchant('10000.00');
    const skus = {
      topUp: await stack.product('35.00'),
      code: await stack.product('50.00', { kind: 'code' }),
    };
    // Not in the system's directory for temporary files, which may be in memory: `month archive` refuses such a directory.
    await mkdir(localDataDir(), { recursive: true });
    const directory = await mkdtemp(path.join(localDataDir(), 'archive-'));
    const scene = new ArchiveScene(stack, merchant, directory, skus, await Partitioning.connect(stack));
    await scene.fill(areCallsLate);
    return scene;
  }

  async close(): Promise<void> {
    await this.partitioning.close();
    await this.stack.close();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** A connection like that of `npm run partition`. */
  get run(): Execute {
    return this.partitioning.run;
  }

  /** Repeats the request at an API. */
  post(request: object, client = this.merchant.client): ReturnType<typeof client.post<OrderBody>> {
    return client.post<OrderBody>('/v1/orders', request);
  }

  async order(user = 'player', items = [{ sku: this.skus.topUp, quantity: 2 }]): Promise<Ordered> {
    const request = { reference_id: unique('archived'), user_id: user, items, metadata: { b: '2', a: 'ก' } };
    const { status } = await this.post(request);
    if (status !== 200) throw new Error(`the order was answered with ${status}`);
    const body = await this.stack.orderWith(this.merchant, request.reference_id, 'completed', 'failed');
    return { request, body };
  }

  /** Restores with connections that `watch` sees. */
  archive(through: string, watch: Watch = () => undefined): Promise<Archived[]> {
    const { database } = this.services;
    const service = new MonthArchiveService(this.links(watch), database, new ClosingsRepository(database));
    return service.archive({ through, directory: this.directory, by: { operator: 'operator-1' } });
  }

  restore(directory: string, watch: Watch = () => undefined): Promise<Restored> {
    const service = new MonthRestoreService(this.links(watch), this.services.database);
    return service.restore(directory, { by: { operator: 'operator-1' } });
  }

  /** Renames the first attempt of an order, as if its reference did not contain the order's number. */
  async nameAtRandom(
    { reference, supplier_reference: theirs }: { reference: string; supplier_reference: string },
    ordered: Ordered | undefined,
  ): Promise<void> {
    await this.stack.fill(`
      SET session_replication_role = 'replica';
      UPDATE unit_attempts SET reference = '${reference}', supplier_reference = '${theirs}'
      WHERE reference = '${ordered?.body.order_number}.1.1'`);
  }

  /** Reports purchases as their supplier. @returns the references of those that opened a discrepancy. */
  async unknownOf(reported: { reference?: string; supplierReference?: string }[]): Promise<string[]> {
    const [{ id } = { id: 0 }] = await this.stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = 'fake'`);
    const purchases = reported.map(({ reference = null, supplierReference = null }) => ({
      reference,
      supplierReference,
      state: 'succeeded' as const,
      sku: null,
      player: null,
      boughtAt: null,
      cost: null,
      detail: 'a late callback',
    }));
    const opened = await new UnknownPurchasesRepository(this.stack.database).report(id, purchases);
    const cases = await this.stack.sql<{ name: string }>(
      `UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE id = ANY($1)
       RETURNING coalesce(reference, supplier_reference) AS name`,
      [opened],
    );
    return cases.map(({ name }) => name);
  }

  /** All rows of the tables of orders and of the tables that refer to them, by table. */
  async rows(): Promise<Record<string, object[]>> {
    const tables = ['orders', 'order_items', 'order_units', 'unit_attempts', 'supplier_calls', 'transfers', 'events'];
    const found: Record<string, object[]> = {};
    for (const table of [...tables, 'unit_deliveries'])
      found[table] = await this.stack.sql(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
    return found;
  }

  /** The number of orders in each partition that has any. */
  async places(): Promise<Record<string, number>> {
    const rows = await this.stack.sql<{ place: string; orders: number }>(
      'SELECT tableoid::regclass::text AS place, count(*)::int AS orders FROM orders GROUP BY 1',
    );
    return Object.fromEntries(rows.map(({ place, orders }) => [place, orders]));
  }

  private links(watch: Watch): ArchiveConnectionsService {
    const links = new ArchiveConnectionsService(this.services.config);
    return Object.assign(Object.create(links) as ArchiveConnectionsService, {
      open: async (): Promise<ArchiveConnection> => {
        const link = await links.open();
        return {
          ...link,
          run: async <Row extends object>(text: string, values?: unknown[]) => {
            await watch(text, values);
            return link.run<Row>(text, values);
          },
        };
      },
    });
  }

  private async fill(areCallsLate: boolean): Promise<void> {
    const { stack, skus } = this;
    await this.partitioning.orders(SIZE);
    if (areCallsLate) await this.partitioning.client.query(LEAVE_CALLS_WHOLE);
    sellsCodes(stack, 'reader');
    stack.supplier.script('unlucky', ({ reference }) =>
      reference.endsWith('.2')
        ? refused(reference, 'OUT_OF_STOCK')
        : { status: 200, body: { reference, status: 'succeeded', supplier_reference: 'S' } },
    );
    const two = [
      { sku: skus.topUp, quantity: 1 },
      { sku: skus.code, quantity: 2 },
    ];
    this.ordered[0].push(await this.order(), await this.order('unlucky'), await this.order('reader', two));
    await moveTo(stack, MONTHS[0]);
    await this.goOnAt(SIZE);
    this.ordered[1].push(await this.order(), await this.order('unlucky'));
    await moveTo(stack, MONTHS[1]);
    if (areCallsLate) await this.partitioning.orders(SIZE);
    await this.goOnAt(2n * SIZE);
    await untilDone(() => keepAhead(this.run, ORDERS));
    this.ordered[2].push(await this.order());
    // Moving the orders to their months also changed when the attempts were made.
    for (const each of this.ordered.flat())
      each.body = (await this.merchant.client.get<OrderBody>(`/v1/orders/${each.request.reference_id}`)).body;
    await this.commandLine.json('month', 'close', '--through', MONTHS[1]);
  }

  /** Gives the next order this id. */
  private goOnAt(id: bigint): Promise<object[]> {
    return this.stack.sql(`SELECT setval('orders_id_seq', $1, false)`, [id]);
  }
}
