/** A column of the attempt that bought the unit, or of the unit's item if the unit has no attempts. */
const term = (name: string): string => `CASE WHEN a.number IS NULL THEN i.${name} ELSE a.${name} END AS ${name}`;

/** Joins each unit `u` with its item `i`, the attempt `a` that bought it, and the terms of its cost. */
export const JOIN_TERMS = `
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
  LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
  CROSS JOIN LATERAL (
    SELECT ${['expected_cost_micros', 'cost_currency', 'baht_per_unit'].map(term).join(', ')}) terms`;

/**
 * The columns of a unit that {@link MARGIN_FIGURES} adds up. The cost is in millionths of a baht, at the rate when the
 * attempt began. A stored rate of 1 for a currency other than baht means that the supplier reported the cost in another
 * currency than the offer's. Then the rate comes from `fx_rates`.
 * @param orderedAt the moment of the rate for units without attempts.
 */
export const unitCost = (orderedAt: string): string => `
  i.unit_price, a.cost_micros IS NULL AS is_estimate,
  coalesce(a.cost_micros, terms.expected_cost_micros)
    * CASE WHEN terms.cost_currency = 'THB' THEN 1 ELSE coalesce(nullif(terms.baht_per_unit, 1), (
        SELECT baht_per_unit FROM fx_rates
        WHERE currency = terms.cost_currency AND valid_from <= coalesce(a.created_at, ${orderedAt})
        ORDER BY valid_from DESC LIMIT 1)) END AS baht_micros`;

export const MARGIN_FIGURES = `
  count(*) AS units, sum(unit_price)::bigint AS revenue, round(coalesce(sum(baht_micros), 0) * 0.0001)::bigint AS cost,
  count(*) FILTER (WHERE is_estimate AND baht_micros IS NOT NULL) AS cost_estimated_units,
  count(*) FILTER (WHERE baht_micros IS NULL) AS cost_unknown_units,
  coalesce(sum(unit_price) FILTER (WHERE baht_micros IS NULL), 0)::bigint AS cost_unknown_revenue`;
