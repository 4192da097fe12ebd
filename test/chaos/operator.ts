import { setTimeout as delay } from 'node:timers/promises';
import { isUnitFailureCode } from '../../src/core/failures.js';
import { readSold, type Sold } from './sold.js';
import type { ChaosSystem } from './system.js';
import type { VendorCode } from './vendors/vendor-kind.js';
import type { Violations } from './violations.js';

/** A unit that waits for the operator's word. */
export interface Waiting {
  order_number: string;
  unit: string;
  /** Of the attempt that it is at. */
  reference: string;
  /** What the supplier calls those that it sold besides, under the same reference. */
  sold_besides: string[];
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

const CASES = `
  SELECT r.id, r.kind, a.reference, r.supplier_reference AS name, u.supplier_reference AS own_name, u.state, r.attempt,
         u.attempt AS latest_attempt
  FROM supplier_reversals r
  JOIN order_units u ON u.order_id = r.order_id AND u.item = r.item AND u.unit = r.unit
  JOIN unit_attempts a ON a.order_id = r.order_id AND a.item = r.item AND a.unit = r.unit AND a.number = r.attempt
  WHERE r.status = 'open'`;

interface Case {
  id: number;
  kind: 'taken_back' | 'bought_late' | 'unknown_purchase';
  reference: string;
  /** What the supplier calls the purchase of the case, and the one that the unit was given. */
  name: string | null;
  own_name: string | null;
  state: string;
  attempt: number;
  latest_attempt: number;
}

/**
 * Closes the cases that are as they say: a purchase that its unit does not have, and one that the supplier took back, or a
 * refusal of an earlier send of what it did sell. What else contradicts stays open, and the audit tells.
 */
export async function closeCases(system: ChaosSystem, violations: Violations): Promise<void> {
  const cases = await system.sql<Case>(CASES);
  if (cases.length === 0) return;
  const sold = new Map((await readSold(system)).map((each) => [each.reference, each]));
  for (const each of cases) {
    const purchase = sold.get(each.reference);
    if (!isReal(each, purchase)) {
      violations.add('supplier', 'a case is about nothing that the supplier did', { case: each, purchase });
    } else {
      const args = ['--reason', 'so says the supplier', '--yes'];
      await system.commands.run(['reversal', 'close', String(each.id), ...args]);
    }
  }
}

function isReal(reported: Case, purchase: Sold | undefined): boolean {
  const { kind, name, own_name, state, attempt, latest_attempt } = reported;
  switch (kind) {
    case 'taken_back':
      return (purchase?.timesBought ?? 0) > 0;
    case 'bought_late':
      // Its word that it was sold may come when it has taken that back already.
      return (purchase?.timesBought ?? 0) > 0 && (state === 'failed' || attempt < latest_attempt);
    case 'unknown_purchase':
      // Sold besides the one that the unit was given, under the same reference.
      return (purchase?.standing ?? 0) > 1 && name !== own_name && purchase?.names.includes(name ?? '') === true;
  }
}

const RESUMED_EVERY_MS = 3_000;

/** An operator who resumes vendors once they are well: without one, workers would query them after five minutes. */
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
      const codes = await this.system.sql<{ code: VendorCode }>(paused).catch(() => []);
      for (const { code } of codes) {
        const isWell = await this.system.vendorOf(code).isWell();
        if (isWell) await this.system.commands.run(['supplier', 'resume', code]);
      }
    }
  }
}
