import { invalid, type Json } from './shapes.js';

/** A reading is a behaviour that the documents leave open. Every vendor has these. */
export interface CommonReadings {
  /** Delays before a callback that was not accepted is delivered again. */
  readonly retry_schedule_ms: readonly number[];
  /** The vendor's local time. */
  readonly utc_offset_minutes: number;
}

type Choices = Readonly<Record<string, readonly string[]>>;

type Numbers = Readonly<Record<string, number>> & Pick<CommonReadings, 'utc_offset_minutes'>;

/** The readings of one vendor: choices, of which the first is the default, and integers from 0. */
export type ReadingsOf<C extends Choices, N extends Numbers> = {
  readonly [Name in keyof C]: C[Name][number];
} & { readonly [Name in keyof N]: number } & CommonReadings;

export interface ReadingSet<Readings> {
  readonly defaults: Readings;
  /** `current` with the members of `changes`. @throws Invalid for a reading or value that does not exist */
  readonly change: (current: Readings, changes: object) => Readings;
}

/** Makes a vendor's readings from the choices and numbers that its `readings.ts` lists. */
export function readingSet<C extends Choices, N extends Numbers>(
  choices: C,
  numbers: N,
  retry_schedule_ms: readonly number[],
): ReadingSet<ReadingsOf<C, N>> {
  const firsts = Object.entries(choices).map(([name, [value]]) => [name, value] as const);
  return {
    defaults: { ...Object.fromEntries(firsts), ...numbers, retry_schedule_ms } as unknown as ReadingsOf<C, N>,
    change: (current, changes) => {
      for (const [name, value] of Object.entries(changes)) check(choices, numbers, name, value);
      return { ...current, ...changes };
    },
  };
}

function check(choices: Choices, numbers: Json, name: string, value: unknown): void {
  if (name === 'retry_schedule_ms') {
    if (!Array.isArray(value) || !value.every(isCount)) throw invalid(`${name} must be a list of numbers`);
    return;
  }
  if (Object.hasOwn(numbers, name)) {
    if (!isCount(value)) throw invalid(`${name} must be an integer from 0`);
    return;
  }
  const allowed: readonly unknown[] | undefined = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (allowed === undefined) throw invalid(`there is no reading ${name}`);
  if (!allowed.includes(value)) throw invalid(`${name} must be one of ${allowed.join(', ')}`);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
