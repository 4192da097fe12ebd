import type { Supplier } from '../suppliers/supplier.entity.js';
import { MAX_PASSED_OVER, type Unroutable } from './routing.js';
import type { SupplierOffer } from './supplier-offer.entity.js';

/** The parameters that {@link offersOf} adds to a statement. */
export const ROUTING_PARAMETERS = {
  costMaxAgeMs: 'bigint',
  rateMaxAgeMs: 'bigint',
  minMargin: 'int',
} as const;

type LimitsInText = Record<keyof typeof ROUTING_PARAMETERS, string>;

const OFFER_COLUMNS = [
  'id',
  'product_id',
  'supplier_id',
  'supplier_sku',
  'priority',
  'active',
  'off_reason',
  'player_template',
  'guard_percent',
  'cost_micros',
  'cost_currency',
  'cost_at',
] as const;

/** A row of {@link offersOf}. */
export type RoutedOffer = Omit<SupplierOffer, 'off_at' | 'off_by_fault' | 'created_at' | 'updated_at'> & {
  supplier_code: string;
  pause_reason: Supplier['pause_reason'];
  /** The value of the cost's currency in baht; null without a cost, or without a fresh rate. */
  baht_per_unit: string | null;
  /** The cost in satang, rounded half up: a whole number as text. Null without a cost or a fresh rate. */
  cost: string | null;
  /** The price minus the cost, in the same form. */
  margin: string | null;
  /** The most that a purchase may cost, in millionths of the cost's currency. Null without a cost. */
  max_cost_micros: bigint | null;
  /** The pattern that players must match, from the supplier's catalogue; null for any player. */
  player_pattern: string | null;
  /** Whether the margin is below the minimum. Null without a cost or a fresh rate. */
  eats_margin: boolean | null;
  /** Null when the offer is routable. */
  why_not: Unroutable | null;
};

/**
 * A query of all offers of the product `p`, for `CROSS JOIN LATERAL (…) offer` after `p` in the FROM. The caller sorts the rows
 * by {@link routingOrder}. The query looks up each row by its key, even with a plan from the time when the tables were empty. A
 * SKU that its supplier's catalogue never had counts as on sale: perhaps the service never read the catalogue.
 * @param limits how the statement's text refers to its {@link ROUTING_PARAMETERS}.
 * @param price of a unit, in satang.
 * @param now the moment at which offers are judged.
 */
export const offersOf = (
  limits: LimitsInText,
  { price = 'p.price', now = 'statement_timestamp()' }: { price?: string; now?: string } = {},
): string => `
  SELECT o.*, ${COST} AS cost, ${price} - ${COST} AS margin, ${eatsMargin(limits, price)} AS eats_margin,
         ${maxCost(limits, price)} AS max_cost_micros,
         CASE ${whyNot(limits, price, now).join(' ')} END AS why_not
  FROM (
    SELECT ${OFFER_COLUMNS.map((column) => `o.${column}`).join(', ')}, s.code AS supplier_code, s.pause_reason,
           o.once_per_day OR coalesce(c.once_per_day, false) AS once_per_day,
           c.sellable, c.player_pattern, c.cut_off_from, c.cut_off_to, c.cut_off_zone, c.cost_micros AS listed_cost,
           ${bahtPerUnit(limits, now)} AS baht_per_unit
    FROM supplier_offers o
    JOIN suppliers s ON s.id = o.supplier_id
    LEFT JOIN LATERAL (
      SELECT * FROM supplier_products WHERE supplier_id = o.supplier_id AND sku = o.supplier_sku LIMIT 1) c ON true
    WHERE o.product_id = p.id
    OFFSET 0) o`;

/** By priority, then by cost; offers without a cost last. @param alias of the rows of {@link offersOf}. */
export const routingOrder = (alias: string): string => `${alias}.priority, ${alias}.cost NULLS LAST, ${alias}.id`;

/**
 * A window function that lists the offers passed over so far, as the JSON of `PassedOver[]`, or null. The list leaves out offers
 * that are switched off: operators know of them, and there may be any number.
 * @param alias of the rows of {@link offersOf}. @param why the column with the reason.
 */
export const passedOver = (alias: string, why: string): string => `
  jsonb_agg(jsonb_build_object('supplier', ${alias}.supplier_code, 'supplier_sku', ${alias}.supplier_sku, 'why', ${alias}.${why}))
    FILTER (WHERE ${alias}.${why} <> 'off')`;

/** The first elements of a list from {@link passedOver}. The list may be null. */
export const firstPassedOver = (list: string): string =>
  `jsonb_path_query_array(${list}, '$[0 to ${MAX_PASSED_OVER - 1}]')`;

const COST = 'round(o.cost_micros * o.baht_per_unit / 10000)';

const milliseconds = (count: string): string => `${count} * interval '1 millisecond'`;

const bahtPerUnit = ({ rateMaxAgeMs }: LimitsInText, now: string): string => `
  CASE WHEN o.cost_currency = 'THB' THEN 1 WHEN o.cost_currency IS NOT NULL THEN (
    SELECT baht_per_unit FROM fx_rates
    WHERE currency = o.cost_currency AND valid_from <= ${now} AND valid_from >= ${now} - ${milliseconds(rateMaxAgeMs)}
    ORDER BY valid_from DESC LIMIT 1) END`;

const eatsMargin = ({ minMargin }: LimitsInText, price: string): string =>
  `(${COST} * 10000 > ${price} * (10000 - ${minMargin}))`;

/**
 * The expected cost plus the guard, but never more than the price allows. Without a fresh rate, the price sets no
 * limit, and the offer is not routable. A satang is 10,000 millionths of a baht.
 */
const maxCost = ({ minMargin }: LimitsInText, price: string): string => `
  floor(least(o.cost_micros * (1 + o.guard_percent / 100), ${price} * (10000 - ${minMargin}) / o.baht_per_unit))::bigint`;

/**
 * Whether the supplier does not sell the SKU at this time of the day. This time begins one minute early, because a call in that
 * minute might arrive too late.
 */
function cutOff(now: string): string {
  const time = `(${now} AT TIME ZONE o.cut_off_zone)::time`;
  const from = `(o.cut_off_from - interval '1 minute')`;
  return `o.cut_off_from <> o.cut_off_to AND
    CASE WHEN ${from} < o.cut_off_to THEN ${time} >= ${from} AND ${time} < o.cut_off_to
         ELSE ${time} >= ${from} OR ${time} < o.cut_off_to END`;
}

const whyNot = (limits: LimitsInText, price: string, now: string): string[] => [
  when('off', 'NOT o.active'),
  when('paused', 'o.pause_reason IS NOT NULL'),
  when('not_sold', 'NOT o.sellable'),
  when('cut_off', cutOff(now)),
  when(
    'old_cost',
    `o.cost_micros IS NOT NULL AND o.listed_cost IS NOT NULL
     AND o.cost_at >= ${now} - ${milliseconds(limits.costMaxAgeMs)} IS NOT TRUE`,
  ),
  when('no_rate', 'o.cost_micros IS NOT NULL AND o.baht_per_unit IS NULL'),
  when('no_margin', eatsMargin(limits, price)),
];

const when = (reason: Unroutable, condition: string): string => `WHEN ${condition} THEN '${reason}'`;
