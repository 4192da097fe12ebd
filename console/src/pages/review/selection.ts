import { useState } from 'react';
import { readAmount } from '../../kit/amount';
import type { components } from '../../schema';

export type ReviewUnit = components['schemas']['ReviewUnitDto'];

/** The members of a unit that determine with which others it can be decided. */
export type Choice = Pick<ReviewUnit, 'order_number' | 'unit' | 'supplier' | 'attempt' | 'amount'>;

/** The most units in one decision. */
export const MAX_UNITS = 100;

export const keyOf = ({ order_number, unit }: Pick<Choice, 'order_number' | 'unit'>): string =>
  `${order_number} ${unit}`;

/** Whether a unit can join the selection: all units must have the same supplier, or the same order. */
export const fits = (selected: readonly Choice[], unit: Choice): boolean =>
  selected.length < MAX_UNITS &&
  (selected.every(({ supplier }) => supplier === unit.supplier) ||
    selected.every(({ order_number }) => order_number === unit.order_number));

/**
 * The units of the page that are not selected and can join the selection: those of the first selected unit's supplier or, without
 * a selection, of the first unit's.
 */
export function othersOf({ selected, has }: Pick<Selection, 'selected' | 'has'>, shown: readonly Choice[]): Choice[] {
  const supplier = (selected[0] ?? shown[0])?.supplier;
  return shown.filter((unit) => unit.supplier === supplier && !has(unit) && fits(selected, unit));
}

export const sumOf = (selected: readonly Choice[]): bigint =>
  selected.reduce((sum, { amount }) => sum + (readAmount(amount) ?? 0n), 0n);

export interface Selection {
  selected: readonly Choice[];
  has: (unit: Choice) => boolean;
  toggle: (unit: Choice) => void;
  /** Adds the units that fit the selection. */
  add: (units: readonly Choice[]) => void;
  clear: () => void;
}

/** The units that the operator selected, in the order of selection. */
export function useSelection(): Selection {
  const [selected, setSelected] = useState<readonly Choice[]>([]);
  const isIn = (among: readonly Choice[], unit: Choice): boolean => among.some((each) => keyOf(each) === keyOf(unit));
  const added = (among: readonly Choice[], unit: Choice): readonly Choice[] =>
    isIn(among, unit) || !fits(among, unit) ? among : [...among, unit];
  return {
    selected,
    has: (unit) => isIn(selected, unit),
    toggle: (unit) =>
      setSelected((before) =>
        isIn(before, unit) ? before.filter((each) => keyOf(each) !== keyOf(unit)) : added(before, unit),
      ),
    add: (units) => setSelected((before) => units.reduce(added, before)),
    clear: () => setSelected([]),
  };
}
