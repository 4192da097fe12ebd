import { statement, type ParameterizedStatement } from '../database/parameters.js';

/** Intervals of the configuration, in milliseconds. */
const INTERVALS = { balanceMs: 'bigint', purchasesMs: 'bigint' } as const;
export type Intervals = { [Name in keyof typeof INTERVALS]: bigint };

/** How long from now a moment may be at most, in SQL, by the rule of whoever writes it. */
type Most = string | ((intervals: Record<keyof Intervals, string>) => string);

const PAST: Most = `interval '0'`;
/** Intervals that suppliers are asked at vary a little. */
const aboutOnceIn = (ms: string): string => `${ms} * 1.05 * interval '1 millisecond'`;

/** To a supplier, by hand: a few calls, each as long as its timeout, and the gap after them. */
const MAX_QUESTION: Most = `(5 * timeout_ms + 10000) * interval '1 millisecond'`;

/** The columns that have when something was done, or is to be done, beside those of units, deliveries and heartbeats. */
const WRITTEN: Record<string, Record<string, Most>> = {
  suppliers: {
    updated_at: PAST,
    paused_at: PAST,
    catalogue_read_at: PAST,
    product_read_at: PAST,
    purchases_listed_at: PAST,
    test_asked_until: MAX_QUESTION,
    inquiry_asked_until: MAX_QUESTION,
    balance_due_at: ({ balanceMs }) => aboutOnceIn(balanceMs),
    purchases_due_at: ({ purchasesMs }) => aboutOnceIn(purchasesMs),
    // A call before the end of a ban makes it longer, so that one may last its day.
    probe_at: `CASE pause_reason WHEN 'deposit' THEN interval '1 minute' WHEN 'credentials' THEN interval '1 hour'
                 ELSE interval '1 day' END`,
  },
  supplier_offers: { cost_at: PAST },
  supplier_product_reads: { asked_at: PAST, due_at: `interval '1 minute'` },
  attempt_checks: { due_at: `interval '10 minutes'` },
  month_closing_turn: { next_at: `interval '1 day'` },
  review_claims: { claimed_until: `interval '10 minutes'` },
};

type PullBack = ParameterizedStatement<typeof INTERVALS>;

/** One statement for each table; a row that is as it should be is left alone. */
export const PULL_BACK_WRITTEN: PullBack[] = Object.entries(WRITTEN).map(([table, columns]) =>
  statement(`written_ahead.${table}`, INTERVALS, (intervals) => {
    const latest = Object.entries(columns).map(([column, most]): [string, string] => [
      column,
      `statement_timestamp() + ${typeof most === 'string' ? most : most(intervals)}`,
    ]);
    // Each statement has all parameters, whether its columns need them or not.
    const used = Object.values(intervals).map((each) => `${each} >= 0`);
    return `
      UPDATE ${table} SET
        ${latest.map(([name, at]) => `${name} = CASE WHEN ${name} > ${at} THEN ${at} ELSE ${name} END`).join(',\n        ')}
      WHERE (${latest.map(([name, at]) => `${name} > ${at} + interval '1 second'`).join(' OR ')}) AND ${used.join(' AND ')}
      RETURNING 1`;
  }),
);
