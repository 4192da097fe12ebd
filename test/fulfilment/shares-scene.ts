import pg from 'pg';
import { CLAIM_UNITS, type ClaimedUnit } from '../../src/fulfilment/claim.sql.js';
import { SupplierShares } from '../../src/fulfilment/supplier-shares.js';
import type { Statement } from '../../src/database/database.js';
import { TestStack, unique } from '../support/stack.js';

/** Units in one order of the scene. */
const PER_ORDER = 100;

/** Due units of several merchants at one supplier, and claims for it without a worker. */
export class SharesScene {
  /** As a worker remembers where its claims ended. */
  shares = new SupplierShares();
  supplierId = 0;
  private count = 0;

  private constructor(readonly stack: TestStack) {}

  static async make(): Promise<SharesScene> {
    return new SharesScene(await TestStack.start({}, { worker: false }));
  }

  /** Goes on at another supplier, where no unit waits. */
  async clear(): Promise<void> {
    const code = unique('supplier');
    await this.stack.addSupplier(code, this.stack.supplier.url);
    const [row] = await this.stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = $1`, [code]);
    this.supplierId = row?.id ?? NaN;
    this.shares = new SupplierShares();
  }

  async merchant(weight = 1): Promise<number> {
    const sql = `INSERT INTO merchants (name, weight) VALUES ('one', $1) RETURNING id`;
    const [row] = await this.stack.sql<{ id: number }>(sql, [weight]);
    return row?.id ?? NaN;
  }

  /** Queues units for a merchant, in orders of a hundred. @param ago for how many seconds they have been due. */
  async queue(merchantId: number, count: number, ago = 1): Promise<void> {
    const from = this.count;
    this.count += Math.ceil(count / PER_ORDER);
    await this.stack.fill(`
      SET session_replication_role = 'replica';
      WITH placed AS (
        INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, subtotal_amount, discount_amount,
                            total_amount, open_items, request_id, created_at, updated_at)
        SELECT ${merchantId}, 'ord_' || n, n, '', 'player', 0, 0, 0, 1, '', now(), now()
        FROM generate_series(${from + 1}, ${this.count}) n
        RETURNING id, least(${PER_ORDER}, ${count} - (reference_id::int - ${from + 1}) * ${PER_ORDER}) AS quantity),
      items AS (
        INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku)
        SELECT id, 1, 'SKU', quantity, 0, 0, ${this.supplierId}, 'SKU' FROM placed
        RETURNING order_id, quantity)
      INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, next_action_at, updated_at)
      SELECT order_id, 1, unit, ${this.supplierId}, ${merchantId},
             now() - interval '${ago} s' + (order_id * 100 + unit) * interval '1 us', now()
      FROM items CROSS JOIN LATERAL generate_series(1, quantity) unit`);
  }

  /** A claim's statement with its values. */
  private call(slots: number): [statement: Statement, values: unknown[]] {
    const adapter = { adapter: 'http', inquiry_may_buy: false, min_gap_ms: 0, max_age_ms: null };
    return CLAIM_UNITS.with({
      suppliers: [{ supplier_id: this.supplierId, free_slots: slots, ...this.shares.placeAt(this.supplierId) }],
      adapters: [{ ...adapter, inquires_by_supplier_reference: false, has_random_references: false }],
      total: 1_000,
      name: 'here/1',
      leaseMarginMs: 3_000,
      clockLimit: new Date('9999-12-31'),
    });
  }

  /** Claims with so many free slots. @param on a connection with an open transaction; otherwise the claim is committed. */
  async claim(slots: number, on: Pick<pg.Pool, 'query'> = this.stack.database.pool): Promise<ClaimedUnit[]> {
    const [{ text }, values] = this.call(slots);
    const { rows } = await on.query<ClaimedUnit>(text, values);
    for (const unit of rows) this.shares.note(unit);
    return rows;
  }

  /** How many units of each merchant a claim takes. */
  async claimed(slots: number, on?: Pick<pg.Pool, 'query'>): Promise<Record<number, number>> {
    return countByMerchant(await this.claim(slots, on));
  }

  /** A connection without the service's limits of time. The caller ends it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.stack.config.DATABASE_URL);
    await client.connect();
    return client;
  }

  /** Explains a claim, which it takes back. */
  explain(slots: number): Promise<PlanNode> {
    return this.explainStatement(...this.call(slots));
  }

  /** Explains a statement, and takes back what it wrote. */
  async explainStatement({ text }: Statement, values: unknown[]): Promise<PlanNode> {
    const client = await this.connect();
    try {
      await client.query(`BEGIN; SET LOCAL plan_cache_mode = 'force_generic_plan'`);
      await client.query(`PREPARE explained AS ${text}`);
      const literals = values.map((value) => client.escapeLiteral(asText(value)));
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained${literals.length > 0 ? `(${literals.join(', ')})` : ''}`,
      );
      return rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    } finally {
      // The connection ends, and with it the transaction.
      await client.end();
    }
  }
}

/** How many units each merchant has in it. */
export const countByMerchant = (units: { merchant_id: number }[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { merchant_id } of units) counts[merchant_id] = (counts[merchant_id] ?? 0) + 1;
  return counts;
};

/** A node of a plan, as PostgreSQL explains it. */
export interface PlanNode {
  Plans?: PlanNode[];
  [member: string]: unknown;
}

export const nodesOf = (plan: PlanNode): PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

function asText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map((each) => (each === null ? 'NULL' : String(each))).join(',')}}`;
  return String(value);
}
