import { useState } from 'react';
import { readAmount } from '../../kit/amount';
import type { components } from '../../schema';

export type Case = components['schemas']['ReviewUnitDto'];

/** The members of a unit that determine with which others it can be decided. */
export type Choice = Pick<Case, 'order_number' | 'unit' | 'supplier' | 'amount'>;

/** The most units in one decision. */
export const MAX_UNITS = 100;

export const keyOf = ({ order_number, unit }: Pick<Choice, 'order_number' | 'unit'>): string =>
  `${order_number} ${unit}`;

/** Whether a unit can join the selection: all units must have the same supplier, or the same order. */
export const fits = (chosen: readonly Choice[], unit: Choice): boolean =>
  chosen.length < MAX_UNITS &&
  (chosen.every(({ supplier }) => supplier === unit.supplier) ||
    chosen.every(({ order_number }) => order_number === unit.order_number));

/**
 * The units of the page that are not selected and can join the selection: those of the first selected unit's supplier or, without
 * a selection, of the first unit's.
 */
export function othersOf({ chosen, has }: Pick<Selection, 'chosen' | 'has'>, shown: readonly Choice[]): Choice[] {
  const supplier = (chosen[0] ?? shown[0])?.supplier;
  return shown.filter((unit) => unit.supplier === supplier && !has(unit) && fits(chosen, unit));
}

export const sumOf = (chosen: readonly Choice[]): bigint =>
  chosen.reduce((sum, { amount }) => sum + (readAmount(amount) ?? 0n), 0n);

export interface Selection {
  chosen: readonly Choice[];
  has: (unit: Choice) => boolean;
  toggle: (unit: Choice) => void;
  /** Adds the units that fit the selection. */
  add: (units: readonly Choice[]) => void;
  clear: () => void;
}

/** The units that the operator selected, in the order of selection. */
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
