import type { CampaignReport } from './campaign.js';

/** The totals of one run. In the sum of several runs, the seed is 'total'. */
export interface RunTotals {
  seed: number | 'total';
  vendors: string;
  minutes: number;
  orders: number;
  units: number;
  attempts: number;
  failovers: number;
  callbacks: number;
  forged: number;
  codes: number;
  faults: number;
  deaths: number;
  violations: number;
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

export function totalsOf(seed: number, minutes: number, report: CampaignReport): RunTotals {
  const { orders, faults, failpoints, violations, vendors } = report;
  const counted = (name: string): number => orders[name] ?? 0;
  return {
    seed,
    vendors: vendors.join(' '),
    minutes,
    orders: counted('placed'),
    units: counted('units'),
    attempts: counted('attempts'),
    failovers: counted('failovers'),
    callbacks: counted('callbacks'),
    forged: counted('forged_callbacks'),
    codes: counted('codes_handed_over'),
    faults: sum(Object.values(faults)),
    deaths: sum(Object.values(failpoints)),
    violations: sum(violations.summary.map(([, count]) => count)),
  };
}

/** The runs, followed by their sum. */
export function withSum(runs: readonly RunTotals[]): RunTotals[] {
  const of = (name: Exclude<keyof RunTotals, 'seed' | 'vendors'>): number => sum(runs.map((run) => run[name]));
  const total: RunTotals = {
    seed: 'total',
    vendors: '',
    minutes: of('minutes'),
    orders: of('orders'),
    units: of('units'),
    attempts: of('attempts'),
    failovers: of('failovers'),
    callbacks: of('callbacks'),
    forged: of('forged'),
    codes: of('codes'),
    faults: of('faults'),
    deaths: of('deaths'),
    violations: of('violations'),
  };
  return [...runs, total];
}
