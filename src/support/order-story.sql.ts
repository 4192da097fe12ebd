import { statement } from '../database/parameters.js';

/** Something that happened to an order, in parts. */
export interface StoryRow {
  at: Date;
  kind: string;
  /** Such as `1.2`. */
  unit: string | null;
  outcome: string | null;
  duration_ms: number | null;
  process: string | null;
  amount: bigint | null;
  operator: string | null;
  reason: string | null;
  supplier: string | null;
  detail: string | null;
}

const NOTHING = {
  ...{ unit: 'NULL', outcome: 'NULL', duration_ms: 'NULL::integer', process: 'NULL', amount: 'NULL::bigint' },
  ...{ operator: 'NULL', reason: 'NULL', supplier: 'NULL', detail: 'NULL' },
};

interface Source extends Partial<typeof NOTHING> {
  at: string;
  /** What of one moment comes first; an expression where a source has several. */
  rank: number | string;
  sequence: string;
  kind: string;
  from: string;
}

const source = ({ at, rank, sequence, kind, from, ...known }: Source): string => {
  const members = Object.values({ ...NOTHING, ...known }).join(', ');
  return `SELECT ${at}, ${rank}, ${sequence}::bigint, ${kind}, ${members} FROM ${from}`;
};

const unitOf = (alias: string): string => `${alias}.item || '.' || ${alias}.unit`;

const ofMoney = (orderId: string): Source[] => [
  {
    ...{ at: 'o.created_at', rank: 0, sequence: '0', kind: `'order.created'` },
    ...{ amount: 'o.total_amount', from: 'this_order o' },
  },
  {
    ...{ at: 'greatest(t.created_at, o.created_at)', rank: 1, sequence: 't.id', kind: `'money.held'` },
    amount: 't.amount',
    from: `transfers t, this_order o WHERE t.order_id = ${orderId} AND t.kind = 'order_hold'`,
  },
  {
    ...{ at: 't.created_at', rank: 4, sequence: 't.id', amount: 't.amount' },
    kind: `CASE t.kind WHEN 'order_spend' THEN 'money.spent' ELSE 'money.returned' END`,
    from: `transfers t WHERE t.order_id = ${orderId} AND t.kind <> 'order_hold'`,
  },
];

const ofUnits = (orderId: string): Source[] => [
  {
    ...{ at: 'a.created_at', rank: 2, sequence: 'a.number', kind: `'attempt.began'`, unit: unitOf('a') },
    supplier: 's.code',
    detail: `concat_ws(' ', 'attempt', a.number, 'as', a.supplier_sku || ',', a.reference)`,
    from: `unit_attempts a JOIN suppliers s ON s.id = a.supplier_id WHERE a.order_id = ${orderId}`,
  },
  {
    ...{ at: 'c.ended_at', rank: 3, sequence: 'c.id', kind: `'supplier.' || c.kind`, unit: unitOf('c') },
    ...{ outcome: 'c.outcome', duration_ms: 'c.duration_ms', process: 'c.process', detail: 'c.detail' },
    from: `supplier_calls c WHERE c.order_id = ${orderId}`,
  },
  {
    ...{ at: 'r.created_at', rank: 3, sequence: 'r.id', kind: `'supplier.' || r.kind`, unit: unitOf('r') },
    ...{ outcome: 'r.status', supplier: 's.code' },
    detail: `concat_ws(': ', 'reversal ' || r.id, r.supplier_reference, r.detail)`,
    from: `supplier_reversals r JOIN suppliers s ON s.id = r.supplier_id WHERE r.order_id = ${orderId}`,
  },
  {
    // A decision belongs to the end that it caused, a note to none.
    rank: `CASE WHEN a.action IN ('order.resolve', 'order.cancel') THEN 3 ELSE 8 END`,
    ...{ at: 'a.created_at', sequence: 'a.id', kind: 'a.action', operator: 'a.operator' },
    ...{ unit: `coalesce(a.detail ->> 'unit', cancelled.unit)`, reason: `a.detail ->> 'reason'` },
    outcome: `concat_ws(' ', a.detail ->> 'result', a.detail ->> 'code')`,
    detail: `a.detail ->> 'note'`,
    from: `operator_actions a
      LEFT JOIN LATERAL jsonb_array_elements_text(a.detail -> 'units') AS cancelled(unit) ON true
      WHERE a.order_id = ${orderId}`,
  },
];

const ofEnd = (orderId: string): Source[] => [
  {
    ...{ at: 'o.updated_at', rank: 5, sequence: '0', kind: `'order.' || o.status` },
    ...{ outcome: 'o.failure_code', detail: 'o.failure_message', from: 'this_order o WHERE o.ended' },
  },
  {
    ...{ at: 'greatest(e.created_at, o.updated_at)', rank: 6, sequence: 'e.id', kind: `'event.' || e.kind` },
    ...{ detail: 'e.public_id', from: `events e, this_order o WHERE e.order_id = ${orderId}` },
  },
  {
    ...{ at: 'w.started_at', rank: 7, sequence: 'd.id', kind: `'webhook.attempt'` },
    duration_ms: 'w.duration_ms',
    outcome: `coalesce(w.response_status::text, w.error, 'no answer')`,
    detail: `'webhook ' || d.webhook_id || ', delivery ' || d.id || ', attempt ' || w.number`,
    from: `events e JOIN webhook_deliveries d ON d.event_id = e.id JOIN webhook_attempts w ON w.delivery_id = d.id
      WHERE e.order_id = ${orderId}`,
  },
];

/** Sources of the same columns, which differ in what they know. */
const SOURCES = (orderId: string): Source[] => [...ofMoney(orderId), ...ofUnits(orderId), ...ofEnd(orderId)];

/**
 * What happened to an order, its money included, oldest first. What ended the order is written by one transaction, whose
 * parts read the clock one after the other: all of it is told as of that moment, in the order of its ranks.
 */
export const FIND_STORY = statement('order_story.find', { orderId: 'bigint' }, ({ orderId }) => {
  const names = ['at', 'rank', 'sequence', 'kind', ...Object.keys(NOTHING)].join(', ');
  return `
    WITH this_order AS (SELECT id, status, created_at, updated_at, total_amount, failure_code, failure_message,
                          status IN ('completed', 'failed') AS ended
                        FROM orders WHERE id = ${orderId}),
    happened (${names}) AS (${SOURCES(orderId).map(source).join('\n UNION ALL ')})
    SELECT CASE WHEN o.ended AND h.rank BETWEEN 2 AND 4 AND h.at < o.updated_at + interval '1 s'
                THEN least(h.at, o.updated_at) ELSE h.at END AS at,
           ${Object.keys(NOTHING)
             .map((name) =>
               name === 'amount' || name === 'duration_ms' ? `h.${name}` : `nullif(h.${name}, '') AS ${name}`,
             )
             .join(', ')},
           h.kind
    FROM happened h, this_order o
    ORDER BY 1, h.rank, h.sequence`;
});
