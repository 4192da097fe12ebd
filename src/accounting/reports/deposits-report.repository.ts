import { Injectable } from '@nestjs/common';
import type { Satang } from '../../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../../core/sandbox.js';
import type { Queryable } from '../../database/database.js';
import { statement } from '../../database/parameters.js';
import { withLongTimeout } from '../../database/snapshot.js';
import { MARGIN_TIMEZONE } from './margin-report.repository.js';

export const DEPOSITS_GROUPINGS = ['channel', 'merchant', 'day'] as const;
export type DepositsGrouping = (typeof DEPOSITS_GROUPINGS)[number];

/** Not cast to text here, so that merchants' ids sort as numbers. */
const GROUPS: Record<DepositsGrouping, string> = {
  channel: 'c.code',
  merchant: 'p.merchant_id',
  day: `to_char(p.paid_at AT TIME ZONE '${MARGIN_TIMEZONE}', 'YYYY-MM-DD')`,
};

const reportBy = (by: DepositsGrouping) =>
  statement(
    `deposits_report.${by}`,
    { start: 'timestamptz', stop: 'timestamptz', channel: 'text?' },
    ({ start, stop, channel }) => `
    SELECT (${GROUPS[by]})::text AS about, count(*) AS payments,
           coalesce(sum(p.amount) FILTER (WHERE p.currency = 'THB'), 0)::bigint AS amount,
           count(*) FILTER (WHERE booked_by <> 'person') AS without_person, count(*) FILTER (WHERE booked_by = 'person') AS by_person,
           count(*) FILTER (WHERE p.state = 'waiting') AS waiting, count(*) FILTER (WHERE p.state = 'returned') AS returned,
           count(*) FILTER (WHERE p.state = 'ignored') AS ignored,
           count(*) FILTER (WHERE p.currency <> 'THB') AS other_currencies,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM p.booked_at - p.paid_at))
             FILTER (WHERE p.precision <> 'day') AS median_seconds
    FROM incoming_payments p JOIN deposit_channels c ON c.id = p.channel_id
    WHERE p.paid_at >= ${start} AND p.paid_at < ${stop}
      AND CASE WHEN ${channel} IS NULL THEN c.id <> ${SANDBOX_CHANNEL_ID} ELSE c.code = ${channel} END
    GROUP BY ${GROUPS[by]} ORDER BY ${GROUPS[by]}`,
  );

const REPORT_BY = { channel: reportBy('channel'), merchant: reportBy('merchant'), day: reportBy('day') };

/** Payments that were made in a period, with their results. `amount` is the sum of the payments in THB, in satang. */
export interface DepositsRow {
  /** The channel's code, the merchant's id, or the day; null for payments that are not booked to a merchant. */
  about: string | null;
  payments: bigint;
  amount: Satang;
  without_person: bigint;
  by_person: bigint;
  waiting: bigint;
  returned: bigint;
  ignored: bigint;
  other_currencies: bigint;
  /** The median time from paying to booking, of payments whose time is known; null if there are none. */
  median_seconds: number | null;
}

@Injectable()
export class DepositsReportRepository {
  /** @param range its end is exclusive. */
  list(
    tx: Queryable,
    by: DepositsGrouping,
    range: { start: Date; stop: Date },
    channel: string | null,
  ): Promise<DepositsRow[]> {
    const [report, values] = REPORT_BY[by].with({ ...range, channel });
    return tx.query<DepositsRow>(withLongTimeout(report), values);
  }
}
