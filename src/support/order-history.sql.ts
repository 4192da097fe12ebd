import { SUPPLIER_CALLS } from '../orders/supplier-calls.sql.js';
import { attemptsOf } from '../webhooks/delivery-attempts.sql.js';
import type { PassedOver } from '../orders/order-item.entity.js';

/** An event of an order. */
export interface HistoryRow {
  at: Date;
  kind: string;
  /** Item and unit, such as `1.2`. */
  unit: string | null;
  outcome: string | null;
  duration_ms: number | null;
  process: string | null;
  amount: bigint | null;
  operator: string | null;
  reason: string | null;
  supplier: string | null;
  detail: string | null;
  facts: HistoryFacts | null;
}

/** Members that only some kinds of entries have, as JSON. Amounts in satang and in millionths are strings. */
export interface HistoryFacts {
  /** The number of the attempt, at the supplier or at a webhook. */
  attempt?: number;
  supplier_sku?: string;
  reference?: string;
  expected_cost_micros?: string;
  max_cost_micros?: string;
  cost_micros?: string;
  cost_currency?: string;
  /** The better offers that routing passed over. */
  passed_over?: PassedOver[];
  /** The end of the previous attempt. */
  after?: { outcome: string; failure_code?: string };
  /** The wallet's available balance after the transfer, in satang. */
  available_after?: string;
  /** The end of the claim's lease. */
  until?: string;
  webhook?: number;
  delivery?: string;
}

const NULLS = {
  unit: 'NULL',
  outcome: 'NULL',
  duration_ms: 'NULL::integer',
  process: 'NULL',
  amount: 'NULL::bigint',
  operator: 'NULL',
  reason: 'NULL',
  supplier: 'NULL',
  detail: 'NULL',
  facts: 'NULL::jsonb',
};
const NOT_TEXT = ['amount', 'duration_ms', 'facts'];

interface Source extends Partial<typeof NULLS> {
  at: string;
  /** Sorts entries of the same moment. An SQL expression if the rows of a source have several ranks. */
  rank: number | string;
  sequence: string;
  kind: string;
  from: string;
}

/** Sorts entries of the same moment. */
const RANK = {
  created: 0,
  held: 1,
  answer: 2,
  settled: 3,
  attempt: 4,
  claimed: 5,
  paid: 6,
  ended: 7,
  event: 8,
  delivery: 9,
  others: 10,
};

const source = ({ at, rank, sequence, kind, from, ...known }: Source): string => {
  const members = Object.values({ ...NULLS, ...known }).join(', ');
  return `SELECT ${at}, ${rank}, ${sequence}::bigint, ${kind}, ${members} FROM ${from}`;
};

const unitOf = (alias: string): string => `${alias}.item || '.' || ${alias}.unit`;

/** @param members SQL expressions by the member's name. The JSON has no member for a null. */
const facts = (members: Record<string, string>): string =>
  `jsonb_strip_nulls(jsonb_build_object(${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')}))`;

/** @param one, other the aliases of two rows. */
const isSameUnit = (one: string, other: string): string =>
  ['order_id', 'item', 'unit'].map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');

/**
 * Selects the attempt of a call, for a LATERAL. An old call does not name its attempt: it belongs to the last attempt that began
 * before the call began. The end of the call is not compared: one transaction writes this end and the next attempt, whose
 * recorded start may be a moment earlier.
 * @param call the alias of the row of {@link SUPPLIER_CALLS}.
 */
export const attemptOfCall = (call: string): string => `
  SELECT a.number, a.supplier_id, a.ended_at FROM unit_attempts a
  WHERE ${isSameUnit('a', call)} AND (a.number = ${call}.attempt OR ${call}.attempt IS NULL AND (a.number = 1
    OR a.created_at < ${call}.ended_at - ${call}.duration_ms * interval '1 ms'))
  ORDER BY a.number DESC LIMIT 1`;

const money = (orderId: string): Source[] => [
  {
    at: 'o.created_at',
    rank: RANK.created,
    sequence: '0',
    kind: `'order.created'`,
    amount: 'o.total_amount',
    from: 'this_order o',
  },
  {
    at: 'greatest(t.created_at, o.created_at)',
    rank: RANK.held,
    sequence: 't.id',
    kind: `'money.held'`,
    amount: 't.amount',
    facts: facts({ available_after: 't.available_after::text' }),
    from: `transfers t, this_order o WHERE t.order_id = ${orderId} AND t.kind = 'order_hold'`,
  },
  {
    at: 't.created_at',
    rank: RANK.paid,
    sequence: 't.id',
    amount: 't.amount',
    kind: `CASE t.kind WHEN 'order_spend' THEN 'money.spent' ELSE 'money.returned' END`,
    facts: facts({ available_after: 't.available_after::text' }),
    from: `transfers t WHERE t.order_id = ${orderId} AND t.kind <> 'order_hold'`,
  },
];

/** If the first attempt of a unit lists no offers that routing passed over, the unit's item may list them. */
const attempts = (orderId: string): Source => ({
  at: 'a.created_at',
  rank: RANK.attempt,
  sequence: 'a.number',
  kind: `'attempt.began'`,
  unit: unitOf('a'),
  supplier: 's.code',
  facts: facts({
    attempt: 'a.number',
    supplier_sku: 'a.supplier_sku',
    reference: 'a.reference',
    expected_cost_micros: 'a.expected_cost_micros::text',
    max_cost_micros: 'a.max_cost_micros::text',
    cost_currency: 'a.cost_currency',
    passed_over: 'coalesce(a.passed_over, i.passed_over)',
    after: `CASE WHEN earlier.number IS NOT NULL THEN
      jsonb_build_object('outcome', earlier.ended_as, 'failure_code', earlier.failure_code) END`,
  }),
  from: `unit_attempts a JOIN suppliers s ON s.id = a.supplier_id
    LEFT JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item AND a.number = 1
    LEFT JOIN unit_attempts earlier ON ${isSameUnit('earlier', 'a')} AND earlier.number = a.number - 1
    WHERE a.order_id = ${orderId}`,
});

/**
 * The call that ends an attempt gets the moment of the attempt's end. The call's own end may be a moment later, because
 * the transaction that begins the next attempt writes the row of the call.
 */
const calls = (orderId: string): Source => ({
  at: `CASE WHEN c.ended_at < a.ended_at + interval '1 s' THEN least(c.ended_at, a.ended_at) ELSE c.ended_at END`,
  rank: RANK.answer,
  // A call that is stored in its unit has the id 0. The units of one settlement have the same time, so the unit sorts the calls.
  sequence: 'CASE c.id WHEN 0 THEN c.item * 1000 + c.unit ELSE c.id END',
  kind: `'supplier.' || c.kind`,
  unit: unitOf('c'),
  outcome: 'c.outcome',
  duration_ms: 'c.duration_ms',
  process: 'c.process',
  detail: 'c.detail',
  supplier: 's.code',
  facts: facts({ attempt: 'coalesce(a.number, 1)' }),
  from: `${SUPPLIER_CALLS} c
    JOIN order_units u ON ${isSameUnit('u', 'c')}
    LEFT JOIN LATERAL (${attemptOfCall('c')}) a ON true
    JOIN suppliers s ON s.id = coalesce(a.supplier_id, u.supplier_id)
    WHERE c.order_id = ${orderId}`,
});

/** The end or the review of each unit, and the process that has claimed the unit now. */
const states = (orderId: string): Source[] => {
  const from = `order_units u JOIN suppliers s ON s.id = u.supplier_id
    LEFT JOIN unit_attempts a ON ${isSameUnit('a', 'u')} AND a.number = u.attempt
    WHERE u.order_id = ${orderId}`;
  const common = { sequence: `u.item * 1000 + u.unit`, unit: unitOf('u'), supplier: 's.code' };
  const attempt = { attempt: 'nullif(u.attempt, 0)' };
  return [
    {
      ...common,
      at: 'u.updated_at',
      rank: RANK.settled,
      kind: `'unit.' || u.state`,
      outcome: 'u.failure_code',
      detail: 'coalesce(u.failure_message, u.supplier_reference)',
      facts: facts({ ...attempt, cost_micros: 'a.cost_micros::text', cost_currency: 'a.cost_currency' }),
      from: `${from} AND u.state IN ('succeeded', 'failed')`,
    },
    {
      ...common,
      rank: RANK.settled,
      kind: `'unit.review'`,
      facts: facts(attempt),
      at: `greatest(u.updated_at, (SELECT max(c.ended_at) FROM supplier_calls c WHERE ${isSameUnit('c', 'u')}))`,
      from: `${from} AND u.state = 'review'`,
    },
    {
      ...common,
      rank: RANK.claimed,
      kind: `'unit.claimed'`,
      process: 'u.claimed_by',
      at: `CASE u.state WHEN 'sending' THEN coalesce(u.last_sent_at, u.updated_at) ELSE u.updated_at END`,
      facts: facts({ ...attempt, until: 'u.next_action_at' }),
      from: `${from} AND u.claimed_by IS NOT NULL`,
    },
  ];
};

const units = (orderId: string): Source[] => [
  attempts(orderId),
  calls(orderId),
  ...states(orderId),
  {
    at: 'r.created_at',
    rank: RANK.answer,
    sequence: 'r.id',
    kind: `'supplier.' || r.kind`,
    unit: unitOf('r'),
    outcome: 'r.status',
    supplier: 's.code',
    detail: `concat_ws(': ', 'reversal ' || r.id, r.supplier_reference, r.detail)`,
    facts: facts({
      attempt: 'r.attempt',
      cost_micros: 'r.cost_micros::text',
      cost_currency: 'r.cost_currency',
    }),
    from: `supplier_reversals r JOIN suppliers s ON s.id = r.supplier_id WHERE r.order_id = ${orderId}`,
  },
  {
    // A decision sorts before the end that it caused.
    rank: `CASE WHEN a.action IN ('order.resolve', 'order.cancel') THEN ${RANK.answer} ELSE ${RANK.others} END`,
    at: 'a.created_at',
    sequence: 'a.id',
    kind: 'a.action',
    operator: 'a.operator',
    unit: `coalesce(a.detail ->> 'unit', cancelled.unit)`,
    reason: `a.detail ->> 'reason'`,
    outcome: `concat_ws(' ', a.detail ->> 'result', a.detail ->> 'code')`,
    supplier: `a.detail ->> 'supplier'`,
    detail: `a.detail ->> 'note'`,
    from: `operator_actions a
      LEFT JOIN LATERAL jsonb_array_elements_text(a.detail -> 'units') AS cancelled(unit) ON true
      WHERE a.order_id = ${orderId}`,
  },
];

const end = (orderId: string): Source[] => {
  const delivery = { webhook: 'd.webhook_id', delivery: 'd.id::text' };
  const deliveries = `events e JOIN webhook_deliveries d ON d.event_id = e.id JOIN webhooks h ON h.id = d.webhook_id`;
  return [
    {
      at: 'o.updated_at',
      rank: RANK.ended,
      sequence: '0',
      kind: `'order.' || o.status`,
      outcome: 'o.failure_code',
      detail: 'o.failure_message',
      from: 'this_order o WHERE o.ended',
    },
    {
      at: 'greatest(e.created_at, o.updated_at)',
      rank: RANK.event,
      sequence: 'e.id',
      kind: `'event.' || e.kind`,
      detail: 'e.public_id',
      from: `events e, this_order o WHERE e.order_id = ${orderId}`,
    },
    {
      // The attempts of a delivery are entries themselves, so only a delivery without attempts has its own entry.
      at: 'd.created_at',
      rank: RANK.delivery,
      sequence: 'd.id',
      kind: `'webhook.delivery'`,
      outcome: 'd.status',
      detail: 'h.url',
      facts: facts(delivery),
      from: `${deliveries} WHERE e.order_id = ${orderId} AND d.attempt_count = 0`,
    },
    {
      at: 'w.started_at',
      rank: RANK.delivery,
      sequence: 'd.id',
      kind: `'webhook.attempt'`,
      duration_ms: 'w.duration_ms',
      outcome: `coalesce(w.response_status::text, w.error, 'no answer')`,
      detail: 'h.url',
      facts: facts({ ...delivery, attempt: 'w.number' }),
      from: `${deliveries} CROSS JOIN LATERAL ${attemptsOf('d')} w WHERE e.order_id = ${orderId}`,
    },
  ];
};

/**
 * All events of an order, oldest first. One transaction writes the end of an order, but its statements have different times.
 * So an entry that is up to a second later than the end gets the time of the end, and the ranks sort these entries.
 * @returns a query of {@link HistoryRow}. @param orderId an SQL expression for the order's id.
 */
export function historyOf(orderId: string): string {
  const names = ['at', 'rank', 'sequence', 'kind', ...Object.keys(NULLS)].join(', ');
  const members = Object.keys(NULLS).map((name) =>
    NOT_TEXT.includes(name) ? `h.${name}` : `nullif(h.${name}, '') AS ${name}`,
  );
  return `
    WITH this_order AS (SELECT id, status, created_at, updated_at, total_amount, failure_code, failure_message,
                          status IN ('completed', 'failed') AS ended
                        FROM orders WHERE id = ${orderId}),
    happened (${names}) AS (${[...money(orderId), ...units(orderId), ...end(orderId)].map(source).join('\n UNION ALL ')})
    SELECT CASE WHEN o.ended AND h.rank BETWEEN ${RANK.answer} AND ${RANK.paid} AND h.at < o.updated_at + interval '1 s'
                THEN least(h.at, o.updated_at) ELSE h.at END AS at,
           ${members.join(', ')}, h.kind
    FROM happened h, this_order o
    ORDER BY 1, h.rank, h.sequence`;
}
