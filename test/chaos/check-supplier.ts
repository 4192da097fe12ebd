import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { isSoldAfterAll } from './careless-supplier.js';
import { QUIET_PERIOD_MS } from './schedule.js';
import { readSold, type Sold } from './sold.js';
import type { ChaosSystem } from './system.js';
import { behaviourAt } from './vendor-plan.js';
import { VENDOR_CODES, type AnswerCode } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';
import type { Violations } from './violations.js';

interface StoredAttempt {
  number: number;
  supplier: string;
  adapter: string;
  sku: string;
  reference: string;
  supplier_reference: string | null;
  /** The end of an earlier attempt; null for the latest one. */
  ended_as: 'failed' | 'withdrawn' | null;
  /** In the vendor's currency, as the vendor reported it. */
  cost: number | null;
}

interface StoredUnit {
  order_number: string;
  unit: string;
  state: string;
  user_id: string;
  product: string;
  supplier_reference: string | null;
  sends: number;
  /** The time from the first to the last send of the latest attempt, by the clock of PostgreSQL. */
  sent_apart_ms: number | null;
  attempts: StoredAttempt[];
  /** The calls about it in the service's own timeline. */
  calls: object[];
}

const UNITS = `
  SELECT o.order_number, u.item || '.' || u.unit AS unit, u.state, o.user_id, i.sku AS product, u.supplier_reference, u.sends,
         (extract(epoch FROM u.last_sent_at - u.first_sent_at) * 1000)::float8 AS sent_apart_ms,
         (SELECT coalesce(json_agg(json_build_object('number', a.number, 'supplier', s.code, 'adapter', s.adapter,
                   'sku', a.supplier_sku, 'reference', a.reference, 'supplier_reference', a.supplier_reference,
                   'ended_as', a.ended_as, 'cost', a.cost_micros / 1000000) ORDER BY a.number), '[]')
          FROM unit_attempts a JOIN suppliers s ON s.id = a.supplier_id
          WHERE a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit) AS attempts,
         (SELECT coalesce(json_agg(json_build_object('kind', kind, 'outcome', outcome, 'detail', detail,
                   'process', process, 'ended_at', ended_at) ORDER BY ended_at, id), '[]')
          FROM ${SUPPLIER_CALLS} c WHERE c.order_id = u.order_id AND c.item = u.item AND c.unit = u.unit) AS calls
  FROM order_units u JOIN orders o ON o.id = u.order_id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item`;

/** An attempt with its supplier's records. */
type Compared = StoredAttempt & { sold: Sold | null };

/** Compares the units that the service has as bought with the sales of all suppliers. */
export async function checkSupplier(
  system: Pick<ChaosSystem, 'sql' | 'purchases' | 'vendors'>,
  clockWasSet: boolean,
  violations: Violations,
): Promise<void> {
  const sold = new Map<string, Sold>();
  for (const each of await readSold(system)) {
    const earlier = sold.get(each.reference);
    if (earlier) violations.add('supplier', 'a reference was bought twice', [earlier, each]);
    sold.set(each.reference, each);
  }
  for (const unit of await system.sql<StoredUnit>(UNITS)) {
    const attempts = unit.attempts.map((each) => ({ ...each, sold: sold.get(each.reference) ?? null }));
    for (const { reference } of attempts) sold.delete(reference);
    checkUnit(unit, attempts, violations);
    for (const attempt of attempts) checkAttempt(unit, attempt, clockWasSet, violations);
  }
  for (const purchase of sold.values()) {
    violations.add('supplier', 'the supplier has a purchase that belongs to no unit', purchase);
  }
}

function checkUnit(unit: StoredUnit, attempts: Compared[], violations: Violations): void {
  const evidence = { ...unit, attempts };
  const standing = attempts.filter(({ sold }) => sold?.outcome === 'succeeded');
  const latest = attempts.at(-1);
  const isBought = latest?.sold?.outcome === 'succeeded' || isTakenBack(unit, latest);
  if (standing.length > 1 && !isBoughtLate(unit)) {
    violations.add('supplier', 'a unit has two standing purchases', evidence);
  }
  if (unit.state === 'succeeded' && !isBought) {
    violations.add('supplier', 'a unit succeeded that the supplier did not sell', evidence);
  } else if (unit.state === 'succeeded' && isOtherName(unit.supplier_reference, latest)) {
    violations.add('supplier', 'a unit names another purchase than the supplier', evidence);
  }
  const isOpenOrSold = attempts.some(({ sold }) => sold !== null && sold.outcome !== 'failed');
  if (unit.state === 'failed' && isOpenOrSold && !isBoughtLate(unit)) {
    violations.add('supplier', 'a unit failed that the supplier sold', evidence);
  }
  if (attempts.reduce((sum, { sold }) => sum + (sold?.received ?? 0), 0) > unit.sends) {
    violations.add('supplier', 'a unit was sent more often than was decided', evidence);
  }
}

/** Whether a vendor has this behaviour for the unit's player. */
const isDone = (unit: StoredUnit, isSo: (vendor: AnswerCode, behaviour: string) => boolean): boolean =>
  VENDOR_CODES.some((vendor) => {
    const behaviour = behaviourAt(vendor, unit.product, unit.user_id);
    return behaviour !== null && isSo(vendor, behaviour);
  });

/** Whether a vendor first reports that it did not sell, and later that it did. */
const isBoughtLate = (unit: StoredUnit): boolean =>
  isSoldAfterAll(unit.product, unit.user_id) ||
  isDone(unit, (vendor, behaviour) => VENDORS[vendor].boughtLate.includes(behaviour));

/** Whether a vendor sells a unit twice, because the first send arrives very late, which the service cannot know. */
const isBoughtTwice = (unit: StoredUnit): boolean =>
  isDone(unit, (vendor, behaviour) => VENDORS[vendor].boughtTwice.includes(behaviour));

/** On a busy machine, a request may arrive long after the service sent it. */
const TOLERANCE_MS = 2_000;

/**
 * Whether the service waited for the required time before the second send. Then the supplier broke its promise. If the first
 * request arrived late, the service's own times show it, unless the clock of PostgreSQL was set.
 */
function wasQuiet(unit: StoredUnit, { sentApartMs }: Sold, clockWasSet: boolean): boolean {
  if (sentApartMs === null) return false;
  const hasTwoSends = unit.sends === 2 && unit.attempts.length === 1;
  const isQuietByOurTimes = hasTwoSends && !clockWasSet && (unit.sent_apart_ms ?? 0) >= QUIET_PERIOD_MS;
  return isQuietByOurTimes || sentApartMs > QUIET_PERIOD_MS - TOLERANCE_MS;
}

/** A success that a vendor takes back later stays a success. */
const isTakenBack = (unit: StoredUnit, latest: Compared | undefined): boolean =>
  isDone(unit, (_, behaviour) => behaviour === 'taken-back') && (latest?.sold?.timesBought ?? 0) === 1;

/** Vendors report their own references only in callbacks, or never. */
const isOtherName = (name: string | null, latest: Compared | undefined): boolean =>
  name === null ? latest?.adapter === 'http' : latest?.sold?.names.includes(name) !== true;

function checkAttempt(unit: StoredUnit, attempt: Compared, clockWasSet: boolean, violations: Violations): void {
  const { sold, ended_as } = attempt;
  if (sold === null) return;
  const evidence = { unit, attempt };
  if (sold.timesBought > 1 && !isBoughtTwice(unit) && !wasQuiet(unit, sold, clockWasSet)) {
    violations.add('supplier', 'a reference was bought twice', evidence);
  }
  const player = sold.vendor ? VENDORS[sold.vendor].playerOf(unit.user_id) : unit.user_id;
  if (sold.sku !== attempt.sku || (sold.player !== null && sold.player !== player)) {
    violations.add('supplier', 'the supplier was asked for something else than was ordered', evidence);
  }
  if (ended_as === 'withdrawn') {
    violations.add('supplier', 'an attempt was withdrawn that the supplier has on record', evidence);
  }
  if (ended_as === 'failed' && sold.outcome !== 'failed' && !isBoughtLate(unit)) {
    violations.add('supplier', 'another attempt followed one that was not refused', evidence);
  }
}
