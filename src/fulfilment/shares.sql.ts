import { nextMerchantAt, waitingMerchant } from '../orders/waiting-units.sql.js';
import { isOf } from '../orders/unit-conditions.sql.js';

const MERCHANT = waitingMerchant('u');
const COLUMNS = [
  'order_id',
  'item',
  'unit',
  'supplier_id',
  'attempt',
  'state',
  'next_action',
  'unknown_since',
  'last_sent_at',
  'sent_to',
]
  .map((column) => `u.${column}`)
  .join(', ');

/**
 * In SQL: whether the unit `u` gets its next call although its supplier `s` is paused. `known` is the supplier's adapter. A
 * paused supplier gets no sends. It gets inquiries, unless it refuses our credentials or bans us. But an inquiry that may buy
 * waits while an operator has paused the supplier, because that pause stops all purchases. If the supplier has reported that it
 * has the purchase, such an inquiry buys nothing and does not wait. Each SELECT reads the rows of one unit, even with an old
 * plan.
 */
export const IS_CALLED_IN_PAUSE = `s.pause_reason NOT IN ('credentials', 'ban') AND u.next_action = 'inquire'
          AND (s.pause_reason <> 'operator' OR known.inquiry_may_buy IS NOT TRUE
            OR (SELECT CASE WHEN known.inquires_by_supplier_reference OR NOT a.is_hearsay THEN a.supplier_reference END
                FROM unit_attempts a WHERE ${isOf('u', 'a')} AND a.number = u.attempt) IS NOT NULL
            OR (SELECT true FROM supplier_calls c
                WHERE ${isOf('u', 'c')} AND c.attempt = u.attempt AND c.outcome = 'processing' LIMIT 1) IS TRUE)`;

/**
 * In SQL: whether any unit at the supplier `s` gets calls. {@link IS_CALLED_IN_PAUSE} requires the same, but PostgreSQL checks that
 * for each unit. It checks this condition, which names no unit, once, and reads no units if it is false.
 */
const HAS_CALLS = `coalesce(s.pause_reason, '') NOT IN ('credentials', 'ban')`;

/** Larger than any merchant's id. */
const NO_END = 2_147_483_647;

/**
 * A SELECT of the due units that a claim selects at one supplier. It is LATERAL to three rows:
 *
 * - `s`: the supplier.
 * - `known`: its adapter.
 * - `free`: `slots` is the number of slots to fill; `from_merchant` and `from_used` are the place where this process's previous claim
 *   ended.
 *
 * The merchants with due units form a circle, in the order of their ids. Beginning at that place, each merchant in its turn gets as
 * many slots as its weight, until no slot is left. The next claim begins at `next_merchant` and `next_used`. So if each claim has
 * a single slot and all weights are 1, the first claim serves one merchant, and the next claim serves the following merchant.
 *
 * - `waiting`: the merchants with waiting units, around the circle. One probe of the index finds each, and PostgreSQL steps only as
 *   far as the rows are needed.
 * - `line`: the first of them with due units: one more than there are slots, to know whether others wait. `place` is the merchant's
 *   place in the line.
 * - If all due units fit in the free slots, there is nothing to share: `turns` is empty, and the claim selects any due units.
 * - `turns`: one `round` gives each merchant as many slots as its weight. `begin` is the number of slots in a round before the
 *   merchant's own.
 * - `shares` deals out the free slots, round after round. A merchant's share is the number of slots that it gets.
 * - `own_shares`: first the units whose leases ended, and then each merchant's share of its oldest units.
 * - `extra`: slots that merchants left free, shared by weight between the merchants in `wants_more`. These have filled their shares,
 *   so they may have more due units.
 * - `any_due`: if slots are still free, perhaps because another worker has locked the units, the claim selects any due units, merchant
 *   by merchant.
 *
 * Each SELECT of the last UNION runs only if the SELECTs before it left slots free.
 *
 * The slots of a paused supplier are not shared out: {@link IS_CALLED_IN_PAUSE}.
 */
export const dueUnits = (clockLimit: string): string => {
  const due = (columns: string, whose: string, inPause?: string): string => `
        SELECT ${columns} FROM order_units u
        WHERE u.supplier_id = s.id AND ${whose} AND u.next_action_at <= statement_timestamp()
          AND ${inPause ? `${HAS_CALLS} AND (s.pause_reason IS NULL OR ${inPause})` : 's.pause_reason IS NULL'}
          AND (u.next_action = 'send' OR known.inquiry_may_buy IS NOT TRUE OR statement_timestamp() <= ${clockLimit})
        ORDER BY ${MERCHANT}, u.next_action_at`;
  const locked = (whose: string, slots: string, inPause?: string): string =>
    `(${due(COLUMNS, whose, inPause)} LIMIT ${slots} FOR NO KEY UPDATE SKIP LOCKED)`;
  const isNotIn = (rows: string): string =>
    `(u.order_id, u.item, u.unit) NOT IN (SELECT order_id, item, unit FROM ${rows})`;
  return `
      WITH RECURSIVE waiting AS (
        SELECT free.from_merchant - 1 AS merchant_id, NULL::timestamptz AS since, ${NO_END} AS before, 0 AS place
        UNION ALL
        SELECT following.*, waiting.place + (following.since <= statement_timestamp())::int
        FROM waiting CROSS JOIN LATERAL (
          SELECT rest.*, waiting.before FROM (${nextMerchantAt('s.id', (id) => `${id} > waiting.merchant_id AND ${id} < waiting.before`)}) rest
          UNION ALL
          SELECT start.*, free.from_merchant FROM (${nextMerchantAt('s.id', (id) => `${id} > 0 AND ${id} < free.from_merchant`)}) start
          WHERE waiting.before = ${NO_END}
          LIMIT 1) following),
      line AS (SELECT merchant_id, place FROM waiting WHERE since <= statement_timestamp() LIMIT free.slots + 1),
      turns AS (
        SELECT merchant_id, place, weight, (sum(weight) OVER (ORDER BY place))::int - weight AS begin, (sum(weight) OVER ())::int AS round,
               max(CASE WHEN place = 1 AND merchant_id = free.from_merchant AND free.from_used < weight
                        THEN free.from_used ELSE 0 END) OVER () AS used
        FROM line CROSS JOIN LATERAL (SELECT weight::int FROM merchants m WHERE m.id = line.merchant_id LIMIT 1) own
        WHERE place <= free.slots AND s.pause_reason IS NULL
          AND (SELECT count(*) FROM (SELECT FROM line CROSS JOIN LATERAL (${due('1', `${MERCHANT} = line.merchant_id`)} LIMIT free.slots + 1) own
                                     LIMIT free.slots + 1) counted) > free.slots),
      shares AS MATERIALIZED (
        SELECT merchant_id, weight, (used + free.slots) / round * weight
                 + least(weight, greatest(0, (used + free.slots) % round - begin)) - CASE place WHEN 1 THEN used ELSE 0 END AS share,
               (used + free.slots - 1) % round - begin + 1 AS last_used
        FROM turns),
      own_shares AS MATERIALIZED (
        SELECT *, NULL::int AS merchant_id FROM ${locked(`${MERCHANT} IS NULL`, 'free.slots', IS_CALLED_IN_PAUSE)} AS ended_leases
        UNION ALL
        SELECT own.*, shares.merchant_id FROM shares
        CROSS JOIN LATERAL ${locked(`${MERCHANT} = shares.merchant_id`, 'shares.share')} AS own),
      wants_more AS (
        SELECT merchant_id, ceil((free.slots - (SELECT count(*) FROM own_shares)) * weight / (sum(weight) OVER ())::float8)::int AS share
        FROM shares WHERE share = (SELECT count(*) FROM own_shares WHERE own_shares.merchant_id = shares.merchant_id)),
      extra AS MATERIALIZED (
        SELECT own.*, wants_more.merchant_id FROM wants_more
        CROSS JOIN LATERAL ${locked(`${MERCHANT} = wants_more.merchant_id AND ${isNotIn('own_shares')}`, 'wants_more.share')} AS own)
      SELECT units.*, place.next_merchant, place.next_used
      FROM (
        SELECT * FROM own_shares
        UNION ALL
        SELECT * FROM extra
        UNION ALL
        SELECT any_due.*, NULL::int FROM waiting CROSS JOIN LATERAL ${locked(
          `${MERCHANT} = waiting.merchant_id AND ${isNotIn('own_shares')} AND ${isNotIn('extra')}`,
          'free.slots',
          IS_CALLED_IN_PAUSE,
        )} AS any_due WHERE waiting.since <= statement_timestamp()
        LIMIT free.slots) units
      LEFT JOIN (
        SELECT CASE last_used WHEN weight THEN merchant_id + 1 ELSE merchant_id END AS next_merchant,
               CASE last_used WHEN weight THEN 0 ELSE last_used END AS next_used
        FROM shares WHERE last_used BETWEEN 1 AND weight) place ON true`;
};
