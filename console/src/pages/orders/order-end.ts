interface Unit {
  unit: string;
  state: string;
}

export type Decision = 'succeeded' | 'failed';

const others = (units: readonly Unit[], name: string): Unit[] => units.filter(({ unit }) => unit !== name);

const isEnded = ({ state }: Unit): boolean => state === 'succeeded' || state === 'failed';

/** How many other units keep the order open. */
export const openBesides = (units: readonly Unit[], name: string): number =>
  others(units, name).filter((unit) => !isEnded(unit)).length;

/** How the order ends once this unit is settled. `open` while other units are open. */
export function endOf(
  units: readonly Unit[],
  name: string,
  decision: Decision,
): 'open' | 'completed' | 'failed' | 'partially' {
  if (openBesides(units, name) > 0) return 'open';
  const states = new Set([decision, ...others(units, name).map(({ state }) => state)]);
  if (states.size > 1) return 'partially';
  return decision === 'succeeded' ? 'completed' : 'failed';
}
