import { useState } from 'react';
import { readAmount } from '../../kit/amount';
import type { components } from '../../schema';

export type Case = components['schemas']['ReviewUnitDto'];

/** What of a unit decides with which others it can be decided about. */
export type Choice = Pick<Case, 'order_number' | 'unit' | 'supplier' | 'amount'>;

/** So many units are decided about at once. */
export const MAX_UNITS = 100;

export const keyOf = ({ order_number, unit }: Pick<Choice, 'order_number' | 'unit'>): string =>
  `${order_number} ${unit}`;

/** Whether a unit can be decided about together with those: they are all of one supplier, or all of one order. */
export const fits = (chosen: readonly Choice[], unit: Choice): boolean =>
  chosen.length < MAX_UNITS &&
  (chosen.every(({ supplier }) => supplier === unit.supplier) ||
    chosen.every(({ order_number }) => order_number === unit.order_number));

export const sumOf = (chosen: readonly Choice[]): bigint =>
  chosen.reduce((sum, { amount }) => sum + (readAmount(amount) ?? 0n), 0n);

export interface Selection {
  chosen: readonly Choice[];
  has: (unit: Choice) => boolean;
  toggle: (unit: Choice) => void;
  /** Adds those of them that fit. */
  add: (units: readonly Choice[]) => void;
  clear: () => void;
}

/** The units that somebody has marked, in the order in which they did. */
export function useSelection(): Selection {
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const isIn = (among: readonly Choice[], unit: Choice): boolean => among.some((each) => keyOf(each) === keyOf(unit));
  const added = (among: readonly Choice[], unit: Choice): readonly Choice[] =>
    isIn(among, unit) || !fits(among, unit) ? among : [...among, unit];
  return {
    chosen,
    has: (unit) => isIn(chosen, unit),
    toggle: (unit) =>
      setChosen((before) =>
        isIn(before, unit) ? before.filter((each) => keyOf(each) !== keyOf(unit)) : added(before, unit),
      ),
    add: (units) => setChosen((before) => units.reduce(added, before)),
    clear: () => setChosen([]),
  };
}
