import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeDiscrepancies } from './operator.js';
import { retried } from './retried.js';
import { readSold, type Sold } from './sold.js';
import type { ChaosSystem } from './system.js';
import { behaviourAt } from './vendor-plan.js';
import type { Vendor } from './vendor.js';
import { VENDORS } from './vendors/vendors.js';
import type { Violations } from './violations.js';

const LISTED_WITHIN_MS = 300_000;
const POLL_MS = 250;

interface Discrepancy {
  id: number;
  kind: 'taken_back' | 'bought_late' | 'unknown_purchase';
  supplier_reference: string | null;
  status: string;
  detail: string | null;
}

interface StoredAttempt {
  reference: string;
  supplier: string;
  order_number: string;
  user_id: string;
  product: string;
  state: string;
  supplier_reference: string | null;
  /** Whether it is the unit's current attempt. */
  is_latest: boolean;
  ended_as: string | null;
  discrepancies: Discrepancy[];
}

const ATTEMPTS = `
  SELECT a.reference, s.code AS supplier, o.order_number, o.user_id, i.sku AS product, u.state, u.supplier_reference,
         a.number = u.attempt AS is_latest, a.ended_as,
         (SELECT coalesce(json_agg(json_build_object('id', r.id, 'kind', r.kind, 'status', r.status, 'detail', r.detail,
                   'supplier_reference', r.supplier_reference) ORDER BY r.id), '[]')
          FROM supplier_reversals r WHERE r.order_id = a.order_id AND r.item = a.item AND r.unit = a.unit
            AND r.attempt = a.number) AS discrepancies
  FROM unit_attempts a
  JOIN suppliers s ON s.id = a.supplier_id
  JOIN orders o ON o.id = a.order_id
  JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit`;

/**
 * Checks that each sale that our books lack has a discrepancy: from callbacks, answers and lists, and then, for sales that these
 * do not report, from the statements that an operator gives. Then the operator closes the discrepancies.
 */
export async function settleContradictions(system: ChaosSystem, violations: Violations): Promise<void> {
  await listsAreRead(system);
  const unheard = await Promise.all(system.vendors.map((vendor) => vendor.unheard()));
  const isReported = ({ reference }: StoredAttempt): boolean => !unheard.some((each) => each.has(reference));
  await checkDiscrepancies(system, violations, (attempt) => !isStated(attempt) && isReported(attempt));
  for (const vendor of system.vendors) await giveStatement(system, vendor);
  const isLearned = (attempt: StoredAttempt): boolean =>
    isStated(attempt) || (!isReported(attempt) && !isOfTwo(attempt));
  await checkDiscrepancies(system, violations, isLearned);
  await closeDiscrepancies(system, violations);
}

/** Waits for a new reading of the list, because an earlier one may lack the last sales. */
async function listsAreRead({ careless }: ChaosSystem): Promise<void> {
  const enough = careless.timesListed + 2;
  const deadline = performance.now() + LISTED_WITHIN_MS;
  while (careless.timesListed < enough && performance.now() < deadline) await delay(POLL_MS);
}

/** Whether a vendor has this behaviour for this player. */
const isOneOf = ({ supplier, product, user_id }: StoredAttempt, of: 'boughtTwice' | 'stated'): boolean =>
  Object.values(VENDORS).some(
    (kind) => kind.code === supplier && kind[of].includes(behaviourAt(kind.code, product, user_id) ?? 'none'),
  );

/** Whether a vendor reports it only in its statement. */
const isStated = (attempt: StoredAttempt): boolean => isOneOf(attempt, 'stated');

/** Whether the vendor sells twice under its reference. An inquiry and a statement report one of the sales, callbacks both. */
const isOfTwo = (attempt: StoredAttempt): boolean => isOneOf(attempt, 'boughtTwice');

async function giveStatement(system: ChaosSystem, vendor: Vendor): Promise<void> {
  const { code, namesOf } = vendor.kind;
  const lines = (await vendor.purchases()).map((purchase) => {
    const status = purchase.standing > 0 ? 'succeeded' : purchase.pending > 0 ? 'pending' : 'failed';
    return [purchase.ref_id, namesOf(purchase)[0] ?? '', status].join(',');
  });
  const file = join(system.logs, `${code}.csv`);
  writeFileSync(file, ['reference,supplier_reference,status', ...lines, ''].join('\n'));
  // The command fails also if it finds a difference, but prints its result then. The next check looks at the discrepancies.
  await retried(async () => {
    const given = system.topup('report', 'supplier', '--supplier', code, '--statement', file);
    return given.catch((error: { stdout?: string }) => JSON.parse(error.stdout ?? '') as unknown);
  });
}

async function checkDiscrepancies(
  system: ChaosSystem,
  violations: Violations,
  isMeant: (attempt: StoredAttempt) => boolean,
): Promise<void> {
  const sold = new Map((await readSold(system)).map((each) => [each.reference, each]));
  for (const attempt of (await system.sql<StoredAttempt>(ATTEMPTS)).filter(isMeant)) {
    const sale = sold.get(attempt.reference);
    const discrepancies = attempt.discrepancies.filter(({ kind }) => kind !== 'taken_back');
    if (sale !== undefined && discrepancies.length < surplusOf(attempt, sale)) {
      violations.add('supplier', 'a supplier sold what our books do not have, and it is no discrepancy', {
        attempt,
        sale,
      });
    }
  }
}

/** The number of sales that the unit does not have. Under one reference, only the first has a discrepancy. */
const surplusOf = ({ state, is_latest }: StoredAttempt, { standing }: Sold): number =>
  Math.min(1, Math.max(standing - (state === 'succeeded' && is_latest ? 1 : 0), 0));
