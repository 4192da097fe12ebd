import { isUnitFailureCode } from '../../src/core/failures.js';
import type { ChaosSystem } from './system.js';

/** A unit that waits for the operator's word. */
export interface Waiting {
  order_number: string;
  unit: string;
}

interface Purchase {
  reference: string;
  outcome: 'succeeded' | 'failed' | 'processing';
  failure_code: string | null;
  supplier_reference: string | null;
}

/** How many units are resolved before it is looked what is left. */
const MAX_AT_ONCE = 50;

/**
 * Resolves units as an operator does who asks the supplier what it sold. Nothing about them may be under way: of a
 * request that arrives later the supplier can't know.
 * @returns how many were resolved; some may be settled, or being sent, by the time the command looks.
 */
export async function resolveAsSold(system: ChaosSystem, waiting: Waiting[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const purchases = await system.purchases<Purchase>();
  const sold = new Map(purchases.map((purchase) => [purchase.reference, purchase]));
  const decided = waiting.flatMap((unit) => {
    const verdict = verdictOn(sold.get(`${unit.order_number}.${unit.unit}`));
    return verdict === null ? [] : [{ ...unit, verdict }];
  });
  const results = await Promise.all(decided.slice(0, MAX_AT_ONCE).map((each) => resolve(system, each)));
  return results.filter((isResolved) => isResolved).length;
}

async function resolve(
  system: ChaosSystem,
  { order_number, unit, verdict }: Waiting & { verdict: string[] },
): Promise<boolean> {
  const args = ['--unit', unit, ...verdict, '--reason', 'the supplier said so', '--yes'];
  return (await system.commands.run(['order', 'resolve', order_number, ...args])) === 0;
}

function verdictOn(purchase: Purchase | undefined): string[] | null {
  if (purchase === undefined) return ['--failed', 'SUPPLIER_UNAVAILABLE'];
  const { outcome, failure_code: code, supplier_reference: reference } = purchase;
  switch (outcome) {
    case 'processing':
      return null;
    case 'succeeded':
      return ['--succeeded', ...(reference === null ? [] : ['--supplier-reference', reference])];
    case 'failed':
      return ['--failed', isUnitFailureCode(code) ? code : 'SUPPLIER_REJECTED'];
  }
}

interface Reversal {
  id: number;
  order_number: string;
  unit: string;
  kind: 'taken_back' | 'bought_late' | 'unknown_purchase';
}

/**
 * Closes the cases in which a refusal came after its unit had been bought by another call, and that the supplier did sell:
 * the refusal answered an earlier send. What else contradicts stays open, and the audit tells.
 */
export async function closeCases(system: ChaosSystem): Promise<void> {
  const cases = await system.topup<Reversal[]>('reversal', 'list', '--open');
  if (cases.length === 0) return;
  const sold = new Map((await system.purchases<Purchase>()).map((each) => [each.reference, each.outcome]));
  for (const { id, order_number, unit, kind } of cases) {
    if (kind !== 'taken_back' || sold.get(`${order_number}.${unit}`) !== 'succeeded') continue;
    await system.topup('reversal', 'close', String(id), '--reason', 'sold, says the supplier');
  }
}
