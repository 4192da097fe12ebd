import { formatBaht } from '../../core/money.js';
import type { Check, Figures, Findings } from './check.sql.js';

/** The result of one check. */
export interface CheckResult {
  name: string;
  ok: boolean;
  detail: string;
}

/** Adds up the findings of one check. */
class Tally {
  private wrong = 0n;
  private example: string | null = null;
  private readonly figures: Figures = {};

  constructor(private readonly check: Check) {}

  add({ wrong, example, figures }: Findings): void {
    this.wrong += wrong;
    this.example ??= example;
    this.count(figures);
  }

  count(figures: Figures): void {
    for (const [name, figure] of Object.entries(figures)) this.figures[name] = (this.figures[name] ?? 0n) + figure;
  }

  /** Adds one violation. @param example the violation, in words. */
  find(example: string): void {
    this.add({ wrong: 1n, example, figures: {} });
  }

  get result(): CheckResult {
    const { name, describe } = this.check;
    const ok = this.wrong === 0n;
    const detail = describe(this.figures) + (ok ? '' : `; ${this.wrong} wrong, such as ${this.example}`);
    return { name, ok, detail };
  }
}

/** The findings of several checks. */
export class Tallies {
  private readonly byName: Map<string, Tally>;

  constructor(checks: readonly Check[]) {
    this.byName = new Map(checks.map((check) => [check.name, new Tally(check)]));
  }

  of({ name }: Check): Tally {
    const tally = this.byName.get(name);
    if (!tally) throw new Error(`${name} is not one of these checks`);
    return tally;
  }

  /** In the order of the checks. */
  get results(): CheckResult[] {
    return [...this.byName.values()].map(({ result }) => result);
  }
}

/** A wrong balance, in words. */
export const unequal = (merchantId: number, has: bigint | null, should: bigint): string =>
  `merchant ${merchantId} has ${has === null ? 'none' : formatBaht(has)} and should have ${formatBaht(should)}`;
