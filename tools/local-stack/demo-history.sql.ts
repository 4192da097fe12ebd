import { baht } from '../../src/accounting/audit/check.sql.js';
import { rowsOf, statement } from '../../src/database/parameters.js';

/** Rows name a unit by these, because the database generates its id. */
const UNIT = { order_number: 'text', item: 'smallint', unit: 'smallint' } as const;

export const INSERT_MERCHANTS = statement(
  'demo.insert_merchants',
  { merchants: rowsOf({ name: 'text', created_at: 'timestamptz' }) },
  ({ merchants }) => `
    WITH added AS (
      INSERT INTO merchants (name, created_at, updated_at)
      SELECT name, created_at, created_at FROM ${merchants.numbered('m', 'place')} ORDER BY place RETURNING id, name, created_at),
    wallets AS (INSERT INTO wallets (merchant_id, updated_at) SELECT id, created_at FROM added)
    SELECT id, name FROM added ORDER BY id`,
);

export const INSERT_PRICES = statement(
  'demo.insert_prices',
  { merchants: 'int[]', prices: rowsOf({ sku: 'text', price: 'bigint' }) },
  ({ merchants, prices }) => `
    INSERT INTO merchant_prices (merchant_id, product_id, price)
    SELECT m.id, p.id, given.price
    FROM ${prices.as('given')} JOIN products p USING (sku) CROSS JOIN unnest(${merchants}) AS m(id)`,
);

/** Each product comes with its first offer, which has no cost yet. */
export const INSERT_OFFERS = statement(
  'demo.insert_offers',
  { offers: rowsOf({ sku: 'text', supplier: 'text', priority: 'smallint', cost_micros: 'bigint' }) },
  ({ offers }) => `
    INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority, cost_micros, cost_currency, cost_at)
    SELECT p.id, s.id, given.sku, given.priority, given.cost_micros, 'THB', statement_timestamp()
    FROM ${offers.as('given')} JOIN products p ON p.sku = given.sku JOIN suppliers s ON s.code = given.supplier
    ON CONFLICT (product_id, supplier_id, supplier_sku) DO UPDATE
      SET cost_micros = excluded.cost_micros, cost_currency = excluded.cost_currency, cost_at = excluded.cost_at`,
);

export const INSERT_KEYS = statement(
  'demo.insert_keys',
  {
    keys: rowsOf({
      ...({ merchant_id: 'int', name: 'text', prefix: 'text', key_hash: 'bytea' } as const),
      ...({ created_at: 'timestamptz', last_used_at: 'timestamptz' } as const),
    }),
  },
  ({ keys }) => `INSERT INTO api_keys (${keys.names}) SELECT * FROM ${keys.unnest}`,
);

export const INSERT_ORDERS = statement(
  'demo.insert_orders',
  {
    orders: rowsOf({
      ...({ merchant_id: 'int', order_number: 'text', reference_id: 'text', content_hash: 'bytea' } as const),
      ...({ user_id: 'text', server_id: 'text?', status: 'text', open_items: 'smallint' } as const),
      ...({ subtotal_amount: 'bigint', discount_amount: 'bigint', total_amount: 'bigint' } as const),
      ...({ failure_code: 'text?', failure_message: 'text?', request_id: 'text' } as const),
      ...({ created_at: 'timestamptz', updated_at: 'timestamptz' } as const),
    }),
  },
  ({ orders }) => `
    INSERT INTO orders (${orders.names}) SELECT ${orders.names} FROM ${orders.numbered('o', 'place')} ORDER BY place`,
);

export const INSERT_ITEMS = statement(
  'demo.insert_items',
  {
    items: rowsOf({
      ...({ order_number: 'text', position: 'smallint', sku: 'text', quantity: 'smallint' } as const),
      ...({ list_price: 'bigint', unit_price: 'bigint', supplier: 'text', status: 'text' } as const),
      ...({ completed_quantity: 'smallint', failed_quantity: 'smallint' } as const),
      ...({ failure_code: 'text?', failure_message: 'text?' } as const),
      ...({ expected_cost_micros: 'bigint', max_cost_micros: 'bigint' } as const),
    }),
  },
  ({ items }) => `
    INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku, status,
                             completed_quantity, failed_quantity, failure_code, failure_message, expected_cost_micros,
                             max_cost_micros, cost_currency, baht_per_unit)
    SELECT o.id, i.position, i.sku, i.quantity, i.list_price, i.unit_price, s.id, i.sku, i.status, i.completed_quantity,
           i.failed_quantity, i.failure_code, i.failure_message, i.expected_cost_micros, i.max_cost_micros, 'THB', 1
    FROM ${items.as('i')} JOIN orders o USING (order_number) JOIN suppliers s ON s.code = i.supplier`,
);

export const INSERT_UNITS = statement(
  'demo.insert_units',
  {
    units: rowsOf({
      ...UNIT,
      ...({ supplier: 'text', attempt: 'smallint', state: 'text', sends: 'int', inquiries: 'int' } as const),
      ...({
        first_sent_at: 'timestamptz',
        last_sent_at: 'timestamptz',
        unknown_since: 'timestamptz?',
      } as const),
      ...({ supplier_reference: 'text?', failure_code: 'text?', failure_message: 'text?' } as const),
      updated_at: 'timestamptz',
    }),
  },
  ({ units }) => `
    INSERT INTO order_units (order_id, item, unit, supplier_id, attempt, state, next_action, claim, attempt_claim, sends,
                             inquiries, first_sent_at, last_sent_at, sent_to, unknown_since, supplier_reference,
                             failure_code, failure_message, updated_at)
    SELECT o.id, u.item, u.unit, s.id, u.attempt, u.state, 'inquire', u.sends + u.inquiries, u.sends + u.inquiries, u.sends,
           u.inquiries, u.first_sent_at, u.last_sent_at, s.base_url, u.unknown_since, u.supplier_reference,
           u.failure_code, u.failure_message, u.updated_at
    FROM ${units.as('u')} JOIN orders o USING (order_number) JOIN suppliers s ON s.code = u.supplier`,
);

export const INSERT_ATTEMPTS = statement(
  'demo.insert_attempts',
  {
    attempts: rowsOf({
      ...UNIT,
      ...({ number: 'smallint', supplier: 'text', sku: 'text', reference: 'text' } as const),
      ...({ supplier_reference: 'text?', cost_micros: 'bigint?' } as const),
      ...({ expected_cost_micros: 'bigint', max_cost_micros: 'bigint' } as const),
      ...({ failure_code: 'text?', failure_message: 'text?' } as const),
      ...({ ended_at: 'timestamptz?', created_at: 'timestamptz' } as const),
    }),
  },
  ({ attempts }) => `
    INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, supplier_reference,
                               cost_micros, expected_cost_micros, max_cost_micros, cost_currency, baht_per_unit, ended_as,
                               failure_code, failure_message, ended_at, created_at)
    SELECT o.id, a.item, a.unit, a.number, s.id, a.sku, a.reference, a.supplier_reference, a.cost_micros,
           a.expected_cost_micros, a.max_cost_micros, 'THB', 1, CASE WHEN a.ended_at IS NOT NULL THEN 'failed' END,
           a.failure_code, a.failure_message, a.ended_at, a.created_at
    FROM ${attempts.as('a')} JOIN orders o USING (order_number) JOIN suppliers s ON s.code = a.supplier`,
);

export const INSERT_CALLS = statement(
  'demo.insert_calls',
  {
    calls: rowsOf({
      ...UNIT,
      ...({ attempt: 'smallint', kind: 'text', outcome: 'text', detail: 'text?' } as const),
      ...({ process: 'text', duration_ms: 'int', ended_at: 'timestamptz' } as const),
    }),
  },
  ({ calls }) => `
    INSERT INTO supplier_calls (order_id, item, unit, attempt, kind, outcome, detail, process, duration_ms, ended_at)
    SELECT o.id, c.item, c.unit, c.attempt, c.kind, c.outcome, c.detail, c.process, c.duration_ms, c.ended_at
    FROM ${calls.as('c')} JOIN orders o USING (order_number) ORDER BY c.ended_at`,
);

/** Inserts transfers in the given order, which must be that of their times. */
export const INSERT_TRANSFERS = statement(
  'demo.insert_transfers',
  {
    transfers: rowsOf({
      ...({ merchant_id: 'int', kind: 'text', debit_account: 'text', credit_account: 'text' } as const),
      ...({ amount: 'bigint', available_after: 'bigint', order_number: 'text?' } as const),
      ...({ reference: 'text?', note: 'text?', operator: 'text?', created_at: 'timestamptz' } as const),
    }),
  },
  ({ transfers }) => `
    INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, reference,
                           note, operator, created_at)
    SELECT t.merchant_id, t.kind, t.debit_account, t.credit_account, t.amount, t.available_after, o.id, t.reference, t.note,
           t.operator, t.created_at
    FROM ${transfers.numbered('t', 'place')} LEFT JOIN orders o USING (order_number) ORDER BY place`,
);

export const UPDATE_WALLETS = statement(
  'demo.update_wallets',
  {
    wallets: rowsOf({
      ...({ merchant_id: 'int', available: 'bigint', held: 'bigint', alert_below: 'bigint' } as const),
      updated_at: 'timestamptz',
    }),
  },
  ({ wallets }) => `
    UPDATE wallets w SET available = given.available, held = given.held, alert_below = given.alert_below,
           updated_at = given.updated_at
    FROM ${wallets.as('given')} WHERE w.merchant_id = given.merchant_id`,
);

export const INSERT_WEBHOOKS = statement(
  'demo.insert_webhooks',
  {
    webhooks: rowsOf({
      ...({ merchant_id: 'int', url: 'text', secret_sealed: 'bytea', secret_hint: 'text' } as const),
      created_at: 'timestamptz',
    }),
  },
  ({ webhooks }) => `
    INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint, created_at, updated_at)
    SELECT merchant_id, url, '{order.completed,order.failed}'::text[], secret_sealed, secret_hint, created_at, created_at
    FROM ${webhooks.as('w')}`,
);

export const INSERT_EVENTS = statement(
  'demo.insert_events',
  {
    events: rowsOf({
      ...({ public_id: 'text', merchant_id: 'int', kind: 'text', order_number: 'text' } as const),
      ...({ reference_id: 'text', body: 'text', created_at: 'timestamptz' } as const),
    }),
  },
  ({ events }) => `
    INSERT INTO events (public_id, merchant_id, kind, order_id, reference_id, body, created_at)
    SELECT e.public_id, e.merchant_id, e.kind, o.id, e.reference_id, e.body, e.created_at
    FROM ${events.numbered('e', 'place')} JOIN orders o USING (order_number) ORDER BY place`,
);

export const INSERT_DELIVERIES = statement(
  'demo.insert_deliveries',
  {
    deliveries: rowsOf({
      ...({ public_id: 'text', status: 'text', attempt_count: 'int', process: 'text' } as const),
      attempt_ended_at: 'timestamptz',
    }),
  },
  ({ deliveries }) => `
    INSERT INTO webhook_deliveries (webhook_id, event_id, kind, status, attempt_count, attempt_ended_at, claimed_by,
                                    created_at, updated_at)
    SELECT w.id, e.id, e.kind, d.status, d.attempt_count, d.attempt_ended_at, d.process, e.created_at, d.attempt_ended_at
    FROM ${deliveries.as('d')} JOIN events e USING (public_id) JOIN webhooks w USING (merchant_id) ORDER BY e.id`,
);

export const INSERT_DELIVERY_ATTEMPTS = statement(
  'demo.insert_delivery_attempts',
  {
    attempts: rowsOf({
      ...({ public_id: 'text', number: 'int', started_at: 'timestamptz', duration_ms: 'int' } as const),
      ...({ response_status: 'int?', error: 'text?', response_body: 'text?' } as const),
    }),
  },
  ({ attempts }) => `
    INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, error, response_body)
    SELECT d.id, a.number, a.started_at, a.duration_ms, a.response_status, a.error, a.response_body
    FROM ${attempts.as('a')} JOIN events e USING (public_id) JOIN webhook_deliveries d ON d.event_id = e.id`,
);

export const INSERT_FIGURES = statement(
  'demo.insert_figures',
  {
    figures: rowsOf({
      ...({
        figure: 'text',
        subject: 'text',
        label: 'text',
        up_to_ms: 'int',
        minute: 'timestamptz',
      } as const),
      value: 'bigint',
    }),
  },
  ({ figures }) => `INSERT INTO minute_figures (${figures.names}) SELECT * FROM ${figures.unnest}`,
);

/** Writes the audit log of merchants and their deposits. $1 is the operator who added the merchants. */
export const INSERT_ACTIONS = statement(
  'demo.insert_actions',
  { operator: 'text' },
  ({ operator }) => `
    INSERT INTO operator_actions (operator, action, merchant_id, detail, created_at)
    SELECT operator, action, merchant_id, detail, at FROM (
      SELECT ${operator} AS operator, 'merchant.create' AS action, id AS merchant_id, jsonb_build_object('name', name) AS detail,
             created_at AS at FROM merchants
      UNION ALL
      SELECT operator, 'wallet.credit', merchant_id,
             jsonb_build_object('transfer_id', id, 'amount', ${baht('amount')}, 'reference', reference, 'note', note), created_at
      FROM transfers WHERE kind = 'credit') done
    ORDER BY at, merchant_id`,
);

/** The type of one row of a statement's parameter. */
type RowOf<Given extends { with(input: never): unknown }, Name extends string> =
  Parameters<Given['with']>[0] extends Record<Name, readonly (infer Row)[]> ? Row : never;
export type OrderInput = RowOf<typeof INSERT_ORDERS, 'orders'>;
export type ItemInput = RowOf<typeof INSERT_ITEMS, 'items'>;
export type UnitInput = RowOf<typeof INSERT_UNITS, 'units'>;
export type AttemptInput = RowOf<typeof INSERT_ATTEMPTS, 'attempts'>;
export type CallInput = RowOf<typeof INSERT_CALLS, 'calls'>;
export type TransferInput = RowOf<typeof INSERT_TRANSFERS, 'transfers'>;
export type WalletInput = RowOf<typeof UPDATE_WALLETS, 'wallets'>;
export type EventInput = RowOf<typeof INSERT_EVENTS, 'events'>;
export type DeliveryInput = RowOf<typeof INSERT_DELIVERIES, 'deliveries'>;
export type DeliveryAttemptInput = RowOf<typeof INSERT_DELIVERY_ATTEMPTS, 'attempts'>;
