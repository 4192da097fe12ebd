/**
 * In SQL: the merchant of a waiting unit. Null while the unit is claimed, and for a unit that an earlier version
 * placed. The index `ix_order_units_due` contains the supplier, and then this expression. So in the index, each
 * merchant's waiting units are adjacent, oldest first. The units for which it is null come last, in the order in which
 * their leases end or they become due.
 * @param unit the alias of the unit's row.
 */
export const waitingMerchant = (unit: string): string =>
  `(CASE WHEN ${unit}.claimed_by IS NULL THEN ${unit}.merchant_id END)`;

const MERCHANT = waitingMerchant('u');
const isDue = (unit: string): string => `${unit}.next_action_at <= statement_timestamp()`;

/**
 * In SQL: whether a unit `u` is at a supplier and has a {@link waitingMerchant} (`namedAt`), or has none
 * (`namelessAt`). Each condition is one range of the index.
 */
const namedAt = (supplier: string): string => `u.supplier_id = ${supplier} AND ${MERCHANT} > 0`;
const namelessAt = (supplier: string): string => `u.supplier_id = ${supplier} AND ${MERCHANT} IS NULL`;

/**
 * A SELECT of the next merchant with waiting units at a supplier: `merchant_id`, and `since`, the time at which the merchant's
 * earliest unit became or becomes due. It is one probe of the index, however many units wait. So it must not leave out merchants
 * whose units are due later: to do that, PostgreSQL would read all of these units.
 * @param which an SQL condition on the merchant's id.
 */
export const nextMerchantAt = (supplier: string, which: (merchant: string) => string): string => `
      SELECT ${MERCHANT} AS merchant_id, u.next_action_at AS since FROM order_units u
      WHERE u.supplier_id = ${supplier} AND ${which(MERCHANT)} AND u.next_action_at IS NOT NULL
      ORDER BY ${MERCHANT}, u.next_action_at LIMIT 1`;

/**
 * A SELECT of the merchants with waiting units at a supplier, from one to the next ({@link nextMerchantAt}).
 * @param which `due` selects only merchants with units that are due now.
 */
const merchantsWaitingAt = (supplier: string, which: 'due' | 'all'): string => `
    WITH RECURSIVE line AS (
      (${nextMerchantAt(supplier, (merchant) => `${merchant} > 0`)})
      UNION ALL
      SELECT following.* FROM line
      CROSS JOIN LATERAL (${nextMerchantAt(supplier, (merchant) => `${merchant} > line.merchant_id`)}) following)
    SELECT merchant_id, since FROM line ${which === 'due' ? 'WHERE since <= statement_timestamp()' : ''}`;

/** Whether a supplier has a due unit. */
export const hasDueUnits = (supplier: string): string => `(
  EXISTS (SELECT FROM order_units u WHERE ${namelessAt(supplier)} AND ${isDue('u')})
  OR EXISTS (${merchantsWaitingAt(supplier, 'due')}))`;

/** A SELECT of one row: how many units are due at a supplier, counted up to `max`, and since when the oldest has been due. */
export const dueUnitsAt = (supplier: string, max: number): string => {
  const some = (range: string): string =>
    `(SELECT u.next_action_at FROM order_units u WHERE ${range} AND ${isDue('u')}
      ORDER BY ${MERCHANT}, u.next_action_at LIMIT ${max})`;
  return `
    SELECT least(named.units + nameless.units, ${max})::int AS units, least(oldest.since, nameless.since) AS since
    FROM (SELECT count(*) AS units FROM ${some(namedAt(supplier))} counted) named,
         (SELECT count(*) AS units, min(next_action_at) AS since FROM ${some(namelessAt(supplier))} counted) nameless,
         (SELECT min(since) AS since FROM (${merchantsWaitingAt(supplier, 'due')}) waiting) oldest`;
};

/** A SELECT of `merchant_id`, `units` (how many of the merchant's units are due at a supplier, counted up to `max`) and `since`. */
export const dueUnitsByMerchantAt = (supplier: string, max: number): string => `
    SELECT waiting.merchant_id, counted.units, waiting.since
    FROM (${merchantsWaitingAt(supplier, 'due')}) waiting CROSS JOIN LATERAL (
      SELECT count(*)::int AS units FROM (
        SELECT FROM order_units u WHERE u.supplier_id = ${supplier} AND ${MERCHANT} = waiting.merchant_id AND ${isDue('u')}
        ORDER BY u.next_action_at LIMIT ${max}) own) counted`;

/** A SELECT of the orders of the `count` units at a supplier that are due first, even if they are not due yet. */
export const nextUnitsAt = (supplier: string, count: number): string => {
  const some = (range: string): string => `(
      SELECT u.order_id, u.next_action_at FROM order_units u WHERE ${range} AND u.next_action_at IS NOT NULL
      ORDER BY u.next_action_at LIMIT ${count})`;
  return `
    SELECT order_id FROM (
      SELECT own.* FROM (${merchantsWaitingAt(supplier, 'all')}) waiting
      CROSS JOIN LATERAL ${some(`u.supplier_id = ${supplier} AND ${MERCHANT} = waiting.merchant_id`)} own
      UNION ALL
      SELECT * FROM ${some(namelessAt(supplier))} nameless) units
    ORDER BY next_action_at LIMIT ${count}`;
};
