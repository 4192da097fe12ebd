/**
 * The merchant in whose name a unit waits. Null while a claim holds the unit, and for a unit that the previous version placed.
 * `ix_order_units_due` contains this expression after the supplier. So each merchant's units stand together, oldest first, and
 * claimed units stand behind all of them, by the ends of their leases.
 * @param unit the alias of the unit's row.
 */
export const waitingMerchant = (unit: string): string =>
  `(CASE WHEN ${unit}.claimed_by IS NULL THEN ${unit}.merchant_id END)`;

const MERCHANT = waitingMerchant('u');
const isDue = (unit: string): string => `${unit}.next_action_at <= statement_timestamp()`;

/** In SQL: units at a supplier with, and without, a merchant in the index. Each condition is one range of the index. */
const namedAt = (supplier: string): string => `u.supplier_id = ${supplier} AND ${MERCHANT} > 0`;
const namelessAt = (supplier: string): string => `u.supplier_id = ${supplier} AND ${MERCHANT} IS NULL`;

/** Whether a supplier has a due unit: one probe of the index for each of the two ranges. */
export const hasDueUnits = (supplier: string): string => `(
  EXISTS (SELECT FROM order_units u WHERE ${namedAt(supplier)} AND ${isDue('u')})
  OR EXISTS (SELECT FROM order_units u WHERE ${namelessAt(supplier)} AND ${isDue('u')}))`;

/**
 * A SELECT of the merchants with waiting units at a supplier: `merchant_id`, and `since`, the time of the merchant's earliest
 * unit. It steps through the index from one merchant to the next: one probe for each merchant, however many units wait.
 * @param which a further condition on units `u`; `due` leaves out units whose time has not come.
 */
export const merchantsWaitingAt = (supplier: string, which: 'due' | 'all'): string => {
  const step = (after: string): string => `
      SELECT ${MERCHANT} AS merchant_id, u.next_action_at AS since FROM order_units u
      WHERE u.supplier_id = ${supplier} AND ${MERCHANT} > ${after} AND ${which === 'due' ? isDue('u') : 'u.next_action_at IS NOT NULL'}
      ORDER BY ${MERCHANT}, u.next_action_at LIMIT 1`;
  return `
    WITH RECURSIVE line AS (
      (${step('0')})
      UNION ALL
      SELECT following.* FROM line CROSS JOIN LATERAL (${step('line.merchant_id')}) following)
    SELECT merchant_id, since FROM line`;
};

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

/** A SELECT of the orders of the next `count` units at a supplier. */
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
