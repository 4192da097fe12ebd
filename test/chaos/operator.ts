import { setTimeout as delay } from 'node:timers/promises';
import { isUnitFailureCode } from '../../src/core/failures.js';
import { retried } from './retried.js';
import { readSold, type Sold } from './sold.js';
import type { ChaosSystem } from './system.js';
import type { AnswerCode } from './vendors/vendor-kind.js';
import type { Violations } from './violations.js';

/** A unit that waits for an operator's decision. */
export interface Waiting {
  order_number: string;
  unit: string;
  /** The reference of its current attempt. */
  reference: string;
  /** The supplier's references of further sales under the same reference. */
  sold_besides: string[];
}

/** The number of units to resolve before the next look at the rest. */
const MAX_AT_ONCE = 50;

/**
 * Resolves units like an operator who asks the supplier for its sales. No call about them may be in flight, because the supplier
 * cannot know of a request that arrives later.
 * @returns the number of resolved units. Some may be settled, or being sent, when the command reads them.
 */
export async function resolveAsSold(system: ChaosSystem, waiting: Waiting[]): Promise<number> {
  if (waiting.length === 0) return 0;
  const sold = new Map((await readSold(system)).map((each) => [each.reference, each]));
  const decided = waiting.flatMap((unit) => {
    const verdict = verdictOn(sold.get(unit.reference), unit);
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

function verdictOn(sold: Sold | undefined, { sold_besides }: Waiting): string[] | null {
  if (sold === undefined) return ['--failed', 'SUPPLIER_UNAVAILABLE'];
  const { outcome, failureCode: code, names } = sold;
  const name = names.find((each) => !sold_besides.includes(each));
  switch (outcome) {
    case 'processing':
      return null;
    case 'succeeded':
      return ['--succeeded', ...(name === undefined ? [] : ['--supplier-reference', name])];
    case 'failed':
      return ['--failed', isUnitFailureCode(code) ? code : 'SUPPLIER_REJECTED'];
  }
}

const OPEN_DISCREPANCIES = `
  SELECT r.id, r.kind, a.reference, r.supplier_reference AS name, u.supplier_reference AS own_name, u.state, r.attempt,
         u.attempt AS latest_attempt
  FROM supplier_reversals r
  JOIN order_units u ON u.order_id = r.order_id AND u.item = r.item AND u.unit = r.unit
  JOIN unit_attempts a ON a.order_id = r.order_id AND a.item = r.item AND a.unit = r.unit AND a.number = r.attempt
  WHERE r.status = 'open'`;

interface Discrepancy {
  id: number;
  kind: 'taken_back' | 'bought_late' | 'unknown_purchase';
  reference: string;
  /** The supplier's references of the discrepancy's purchase, and of the unit's own. */
  name: string | null;
  own_name: string | null;
  state: string;
  attempt: number;
  latest_attempt: number;
}

/**
 * Closes correct discrepancies: a purchase that its unit does not have, a success that the supplier took back, or a refusal of
 * an earlier send of a sold unit. Other contradictions stay open, and the audit reports them.
 */
export async function closeDiscrepancies(system: ChaosSystem, violations: Violations): Promise<void> {
  const discrepancies = await system.sql<Discrepancy>(OPEN_DISCREPANCIES);
  if (discrepancies.length === 0) return;
  const sold = new Map((await readSold(system)).map((each) => [each.reference, each]));
  for (const each of discrepancies) {
    const purchase = sold.get(each.reference);
    if (!isReal(each, purchase)) {
      violations.add('supplier', 'a discrepancy is about nothing that the supplier did', {
        discrepancy: each,
        purchase,
      });
    } else {
      const args = ['--reason', 'so says the supplier', '--yes'];
      const isOpen = `SELECT FROM supplier_reversals WHERE id = $1 AND status = 'open'`;
      const close = async (): Promise<void> => {
        const code = await system.commands.run(['reversal', 'close', String(each.id), ...args]);
        if (code !== 0 && (await system.sql(isOpen, [each.id])).length > 0) throw new Error('it stays open');
      };
      // The audit reports what stays open.
      await retried(close).catch(() => undefined);
    }
  }
}

function isReal(reported: Discrepancy, purchase: Sold | undefined): boolean {
  const { kind, name, own_name, state, attempt, latest_attempt } = reported;
  switch (kind) {
    case 'taken_back':
      return (purchase?.timesBought ?? 0) > 0;
    case 'bought_late':
      // The report of the sale may arrive after the supplier has taken the sale back.
      return (purchase?.timesBought ?? 0) > 0 && (state === 'failed' || attempt < latest_attempt);
    case 'unknown_purchase':
      // A second sale under the unit's reference.
      return (purchase?.standing ?? 0) > 1 && name !== own_name && purchase?.names.includes(name ?? '') === true;
  }
}

const RESUMED_EVERY_MS = 3_000;

/** An operator who resumes vendors once they work again. Without one, workers would probe them after five minutes. */
export class VendorResumer {
  private isOver = false;
  private resuming: Promise<void> | undefined;

  constructor(private readonly system: ChaosSystem) {}

  start(): void {
    this.resuming = this.resumeVendors();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.resuming;
  }

  private async resumeVendors(): Promise<void> {
    const paused = `SELECT code FROM suppliers WHERE code NOT IN ('sim', 'careless') AND pause_reason IS NOT NULL`;
    for (; !this.isOver; await delay(RESUMED_EVERY_MS)) {
      const codes = await this.system.sql<{ code: AnswerCode }>(paused).catch(() => []);
      for (const { code } of codes) {
        const isWell = await this.system.vendorOf(code).isWell();
        if (isWell) await this.system.commands.run(['supplier', 'resume', code]);
      }
    }
  }
}
