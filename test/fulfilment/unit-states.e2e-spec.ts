import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Statement } from '../../src/database/database.js';
import { BEGIN_NEXT_ATTEMPTS } from '../../src/fulfilment/attempts.sql.js';
import { CLAIM_UNITS } from '../../src/fulfilment/claim.sql.js';
import * as units from '../../src/fulfilment/units.repository.js';
import { MARK_IN_DOUBT } from '../../src/fulfilment/callbacks/supplier-callbacks.repository.js';
import { JUDGE_UNSETTLED } from '../../src/orders/judge-unsettled.sql.js';
import { SETTLE_UNITS } from '../../src/orders/settlement.repository.js';
import { ORDER_STATUSES, UNIT_STATES, UNIT_TRANSITIONS, type UnitState } from '../../src/orders/states.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;
/** Without the service's limits of time. */
let client: pg.Client;
/** A unit without a claim. */
let key: { order_id: bigint; item: number; unit: number };
let supplierId: number;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const merchant = await stack.merchant('100.00');
  await stack.order(merchant, [{ sku: await stack.product('35.00') }]);
  const [unit] = await stack.sql<{ order_id: bigint; supplier_id: number }>(
    'SELECT order_id, supplier_id FROM order_units',
  );
  if (!unit) throw new Error('the order has no unit');
  key = { order_id: unit.order_id, item: 1, unit: 1 };
  supplierId = unit.supplier_id;
  client = new pg.Client(stack.config.DATABASE_URL);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await closeWithBalancedBooks(stack);
});

const CLAIM = 7;
const BEHIND_ALL = new Date('9999-12-31');
const NEVER = 1_000_000_000n;
const SENT = `sends = 1, claim = ${CLAIM}, first_sent_at = now() - interval '1 h', last_sent_at = now() - interval '1 h'`;
const DUE = `next_action_at = now() - interval '1 s'`;

/** Units in each state, one for each situation that makes a difference. */
const SITUATIONS: [UnitState, string][] = [
  ['queued', `next_action = 'send', ${DUE}`],
  ['sending', `next_action = 'inquire', ${DUE}, claimed_by = 'gone/1', ${SENT}`],
  ['sending', `next_action = 'inquire', ${DUE}, claimed_by = 'gone/1', unknown_since = now(), ${SENT}`],
  ['unknown', `next_action = 'inquire', ${DUE}, claimed_by = 'gone/1', unknown_since = now(), ${SENT}`],
  ['unknown', `next_action = 'inquire', ${DUE}, interrupted_claim = 'gone/1', unknown_since = now(), ${SENT}`],
  ['unknown', `next_action = 'send', ${DUE}, unknown_since = now(), ${SENT}`],
  ['unknown', `next_action = 'send', ${DUE}, unknown_since = now(), ${SENT}, sent_to = 'http://another.example'`],
  ['review', `next_action = 'inquire', next_action_at = NULL, unknown_since = now(), ${SENT}`],
  ['succeeded', `next_action = 'inquire', next_action_at = NULL, ${SENT}`],
  ['failed', `next_action = 'inquire', next_action_at = NULL, failure_code = 'OUT_OF_STOCK', ${SENT}`],
];

type Call = [statement: Statement, values: unknown[]];

/** @param inquiry_may_buy whether an inquiry repeats the send. */
const claimAt = (inquiry_may_buy: boolean): Call => {
  const adapter = {
    adapter: 'http',
    inquiry_may_buy,
    min_gap_ms: 0,
    max_age_ms: null,
    inquires_by_supplier_reference: false,
    has_random_references: false,
  };
  return CLAIM_UNITS.with({
    suppliers: [{ supplier_id: supplierId, free_slots: 1, from_merchant: 0, from_used: 0 }],
    adapters: [adapter],
    total: 1,
    name: 'here/1',
    leaseMarginMs: 3_000,
    clockLimit: BEHIND_ALL,
  });
};

const beginNext = (ended_as: 'failed' | 'withdrawn', claim: number | null): Call => {
  const failure_code = ended_as === 'failed' ? 'OUT_OF_STOCK' : null;
  const said = { failure_code, failure_message: null, failover: true, retry_after_ms: 1 };
  return BEGIN_NEXT_ATTEMPTS.with({
    ended: [{ ...key, attempt: 0, claim, is_about_one_send: false, ended_as, ...said }],
    namedAtRandom: [],
    maxRetries: 2,
    maxOffers: 3,
    deadlineMs: 600_000n,
    costMaxAgeMs: 1n,
    rateMaxAgeMs: 1n,
    minMargin: 0,
  });
};

const settle = (
  state: 'succeeded' | 'failed',
  { claim, attempt }: { claim: number | null; attempt: number | null },
  cancels = false,
): Call => {
  const failure_code = state === 'failed' ? 'OUT_OF_STOCK' : null;
  const outcome = { state, supplier_reference: null, failure_code, failure_message: null };
  const source = { attempt, claim, is_about_one_send: false, is_sold: false, cancels, seen_attempt: null };
  const call = { call_process: null, call_duration_ms: null };
  return SETTLE_UNITS.with({ units: [{ ...key, ...outcome, ...source, ...call }] });
};

const postpone = (outcome: string, can_inquire: boolean, reviewAfterMs: bigint): Call => {
  const call = {
    ...key,
    claim: CLAIM,
    outcome,
    delay_ms: 1_000,
    may_resend: true,
    has_moved: false,
    deduplicates: true,
    can_inquire,
    quiet_ms: 0n,
    began_ago_ms: 0n,
    clock_limit: BEHIND_ALL,
  };
  return units.POSTPONE_UNITS.with({ calls: [call], reviewAfterMs });
};

/** The outcome "succeeded" of an attempt before the unit's current one. */
const soldBefore = {
  order_id: 0n,
  item: 1,
  unit: 1,
  attempt: -1,
  state: 'succeeded',
  supplier_reference: 'S-1',
  detail: null,
  cost_micros: null,
  cost_currency: null,
};

/** Every statement of the service that changes units, with all values that make a difference. */
function changes(): Call[] {
  const claim = { ...key, claim: CLAIM };
  return [
    claimAt(false),
    claimAt(true),
    ...['not_accepted', 'unknown', 'never_seen'].flatMap((outcome) =>
      [true, false].flatMap((canInquire) =>
        [0n, NEVER].map((reviewAfterMs) => postpone(outcome, canInquire, reviewAfterMs)),
      ),
    ),
    ...(['succeeded', 'failed'] as const).flatMap((state) =>
      [CLAIM, CLAIM - 1, null].flatMap((claim) => [0, null].map((attempt) => settle(state, { claim, attempt }))),
    ),
    settle('failed', { claim: null, attempt: null }, true),
    ...(['failed', 'withdrawn'] as const).flatMap((endedAs) => [CLAIM, null].map((claim) => beginNext(endedAs, claim))),
    units.TAKE_OVER_UNITS.with({ processes: ['gone'], withGaps: [] }),
    units.UNDO_CLAIMS.with({ names: ['gone/1'], agoMs: 0n }),
    units.UNDO_INTERRUPTED.with({ names: ['gone/1'], agoMs: 0n }),
    units.UNDO_CLAIM.with(claim),
    units.RENEW_CLAIM.with({ ...claim, forMs: 1_000 }),
    units.REVIEW_UNIT.with(claim),
    units.REVIEW_PAUSED_UNITS.with({ reviewAfterMs: 0n, limit: 1, adapters: [] }),
    units.REVIEW_SOLD_UNIT.with({ ...key, attempt: 0 }),
    units.PULL_BACK_UNITS.with({ limit: 1 }),
    JUDGE_UNSETTLED.with({
      answers: [
        { ...soldBefore, ...key, is_news: true, is_about_one_send: false, queried_as: null, delivered_sealed: null },
      ],
    }),
    MARK_IN_DOUBT.with({ ...key, attempt: 0, minGapMs: 0n }),
  ];
}

/** The unit's state after a statement, which is then rolled back. */
async function stateAfter([state, situation]: [UnitState, string], [statement, values]: Call): Promise<UnitState> {
  try {
    await client.query('BEGIN; SET LOCAL session_replication_role = replica');
    await client.query(`UPDATE order_units SET state = '${state}', ${situation}`);
    await client.query('SET LOCAL session_replication_role = origin');
    await client.query(statement.text, values);
    const { rows } = await client.query<{ state: UnitState }>('SELECT state FROM order_units');
    return rows[0]?.state ?? state;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** The values that a check constraint allows, in its order. */
async function allowed(constraint: string): Promise<string[]> {
  const [check] = await stack.sql<{ text: string }>(
    'SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conname = $1',
    [constraint],
  );
  return [...(check?.text.matchAll(/'(\w+)'/g) ?? [])].map(([, value]) => value ?? '');
}

describe('the states of orders and units', () => {
  it('are those that the database allows', async () => {
    expect((await allowed('ck_order_units_state')).sort()).toEqual([...UNIT_STATES].sort());
    expect((await allowed('ck_orders_status')).sort()).toEqual([...ORDER_STATUSES].sort());
    expect((await allowed('ck_order_items_status')).sort()).toEqual([...ORDER_STATUSES].sort());
  });

  it('change as the table says, whichever statement changes them, and in every way that it says', async () => {
    const seen = Object.fromEntries(UNIT_STATES.map((state) => [state, new Set<UnitState>()]));
    for (const situation of SITUATIONS) {
      for (const change of changes()) {
        const [before] = situation;
        const after = await stateAfter(situation, change);
        if (after !== before) seen[before]?.add(after);
      }
    }
    const sorted = (table: Record<string, Iterable<string>>): object =>
      Object.fromEntries(Object.entries(table).map(([from, to]) => [from, [...to].sort()]));
    expect(sorted(seen)).toEqual(sorted(UNIT_TRANSITIONS));
  });

  it('leave doubt only when another attempt begins, or if the unit was never sent', async () => {
    const anew: string[] = [];
    for (const situation of SITUATIONS.filter(([state]) => state === 'unknown' || state === 'review')) {
      for (const change of changes()) {
        const after = await stateAfter(situation, change);
        if (after === 'queued') anew.push(change[0].name);
      }
    }
    expect(new Set(anew)).toEqual(new Set([BEGIN_NEXT_ATTEMPTS.name, units.UNDO_INTERRUPTED.name]));
  });
});
