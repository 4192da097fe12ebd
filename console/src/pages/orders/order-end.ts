interface Unit {
  unit: string;
  state: string;
}

export type Verdict = 'succeeded' | 'failed';

const others = (units: readonly Unit[], name: string): Unit[] => units.filter(({ unit }) => unit !== name);

const isEnded = ({ state }: Unit): boolean => state === 'succeeded' || state === 'failed';

/** How many other units keep the order open. */
export const openBesides = (units: readonly Unit[], name: string): number =>
  others(units, name).filter((unit) => !isEnded(unit)).length;

/** As what an order ends once a unit is settled; `open` while others are not. */
export function endOf(
  units: readonly Unit[],
  name: string,
  verdict: Verdict,
): 'open' | 'completed' | 'failed' | 'partially' {
  if (openBesides(units, name) > 0) return 'open';
  const states = new Set([verdict, ...others(units, name).map(({ state }) => state)]);
  if (states.size > 1) return 'partially';
  return verdict === 'succeeded' ? 'completed' : 'failed';
}
