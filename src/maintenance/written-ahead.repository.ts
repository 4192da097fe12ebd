import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { Database } from '../database/database.js';
import { statement, type ParameterizedStatement } from '../database/parameters.js';

/** Intervals of the configuration, in milliseconds. */
const INTERVALS = { balanceMs: 'bigint', purchasesMs: 'bigint' } as const;
type Intervals = { [Name in keyof typeof INTERVALS]: bigint };

/** In SQL: how far in the future a column's time may be, by the rule of the code that writes it. */
type Limit = string | ((intervals: Record<keyof Intervals, string>) => string);

const PAST: Limit = `interval '0'`;
/** The intervals of calls to suppliers vary a little. */
const aboutOnceIn = (ms: string): string => `${ms} * 1.05 * interval '1 millisecond'`;

/**
 * The limit for a probe of a supplier, and for an operator's call to it: the time of the longest call, and the gap
 * after it. Must equal `MAX_QUERY` of `supplier-timing.ts`.
 */
const SEVERAL_CALLS: Limit = `(5 * timeout_ms + 10000) * interval '1 millisecond'`;

/** Columns with the time of an action, past or planned. Units, deliveries and heartbeats have statements of their own. */
const WRITTEN: Record<string, Record<string, Limit>> = {
  suppliers: {
    updated_at: PAST,
    paused_at: PAST,
    last_paused_at: PAST,
    last_resumed_at: PAST,
    catalogue_read_at: PAST,
    product_read_at: PAST,
    purchases_listed_at: PAST,
    test_asked_until: SEVERAL_CALLS,
    inquiry_asked_until: SEVERAL_CALLS,
    probing_until: SEVERAL_CALLS,
    balance_due_at: ({ balanceMs }) => aboutOnceIn(balanceMs),
    purchases_due_at: ({ purchasesMs }) => aboutOnceIn(purchasesMs),
    // During a ban, the wait before a probe doubles up to 17 hours.
    probe_at: `CASE pause_reason WHEN 'deposit' THEN interval '1 minute' WHEN 'credentials' THEN interval '1 hour'
                 ELSE interval '1 day' END`,
  },
  supplier_offers: { cost_at: PAST, off_at: PAST },
  supplier_product_reads: { asked_at: PAST, due_at: `interval '1 minute'` },
  attempt_checks: { due_at: `interval '1 day'` },
  // Until a day after a deposit expires, its inquiries are at most an hour apart. Later inquiries follow only if the
  // vendor does not answer, and are at most two days apart. In the sandbox, `next_inquiry_at` is the time of the next
  // report, which may come just after the deposit expires: up to a day after its creation.
  deposits: {
    created_at: PAST,
    asked_at: PAST,
    expired_at: PAST,
    next_inquiry_at: `CASE WHEN channel_id = ${SANDBOX_CHANNEL_ID} OR expires_at < statement_timestamp() - interval '22 hours'
                        THEN interval '2 days' ELSE interval '1 hour' END`,
  },
  deposit_channels: {
    probe_at: `interval '1 hour'`,
    // The longest wait: from midnight until 3:00 of the next day.
    list_due_at: `interval '27 hours'`,
    list_read_until: `interval '2 minutes'`,
    slips_paused_until: `interval '15 minutes'`,
  },
  channel_callbacks: { ask_at: `interval '1 hour'`, claimed_at: PAST },
  slip_checks: { created_at: PAST, next_at: `interval '30 minutes'` },
  month_closing_turn: { next_at: `interval '1 day'` },
  review_claims: { claimed_until: `interval '10 minutes'` },
  operators: { locked_until: `interval '1 day'`, known_device_locked_until: `interval '1 day'` },
  // `confirmed_at` comes from the console's clock, which was wrong too if both processes run on one machine.
  operator_sessions: { created_at: PAST, seen_at: PAST, confirmed_at: PAST },
  webhooks: { previous_secret_expires_at: `interval '7 days'` },
  event_retention: { removed_until: PAST },
  // Of items that seem to be newer than each reading, no reading would change anything.
  supplier_products: { cost_at: PAST, first_seen_at: PAST, last_seen_at: PAST, gone_at: PAST },
};

type PullBack = ParameterizedStatement<typeof INTERVALS>;

/** One statement for each table, which changes only rows that break a limit. */
const PULL_BACK_WRITTEN: PullBack[] = Object.entries(WRITTEN).map(([table, columns]) =>
  statement(`written_ahead.${table}`, INTERVALS, (intervals) => {
    const latest = Object.entries(columns).map(([column, limit]): [string, string] => [
      column,
      `statement_timestamp() + ${typeof limit === 'string' ? limit : limit(intervals)}`,
    ]);
    // Every statement has all parameters, so it must use each of them.
    const used = Object.values(intervals).map((each) => `${each} >= 0`);
    return `
      UPDATE ${table} SET
        ${latest.map(([name, at]) => `${name} = CASE WHEN ${name} > ${at} THEN ${at} ELSE ${name} END`).join(',\n        ')}
      WHERE (${latest.map(([name, at]) => `${name} > ${at} + interval '1 second'`).join(' OR ')}) AND ${used.join(' AND ')}
      RETURNING 1`;
  }),
);

/** Corrects times that the database wrote while its clock was ahead. */
@Injectable()
export class WrittenAheadRepository {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Brings each time down to the latest that its rule allows. @returns how many rows it changed. */
  async pullBack(): Promise<number> {
    const { SUPPLIER_BALANCE_INTERVAL_MS: balance, SUPPLIER_PURCHASES_INTERVAL_MS: purchases } = this.config;
    const intervals = { balanceMs: BigInt(balance), purchasesMs: BigInt(purchases) };
    let rows = 0;
    for (const pullBack of PULL_BACK_WRITTEN) rows += (await this.database.query(...pullBack.with(intervals))).length;
    return rows;
  }
}
