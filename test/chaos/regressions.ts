/** A seed that once found a violation, with its description. */
export interface Regression {
  seed: number;
  minutes: number;
  found: string;
}

/** Every seed that has found a defect of the service; `npm run chaos -- --regressions` runs them all again. */
export const REGRESSION_SEEDS: readonly Regression[] = [
  {
    seed: 31_001,
    minutes: 5,
    found: 'a signed callback that could not be written down was stored as nothing new, and a sale was no case',
  },
];
