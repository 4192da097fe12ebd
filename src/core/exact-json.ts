import { parse, stringify } from 'lossless-json';

/** A number of a JSON text, as it is written there. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/**
 * Parses JSON so that numbers keep their text: an amount never passes through a floating-point number.
 * @returns the value with a {@link JsonNumber} for each number; undefined for what is not JSON, or gives a member twice
 * with different values.
 */
export function parseExactJson(text: string): unknown {
  try {
    return parse(text, undefined, { parseNumber: (number) => new JsonNumber(number) });
  } catch {
    return undefined;
  }
}

/** Writes JSON with each {@link JsonNumber} as its text says. */
export const writeExactJson = (value: object): string =>
  stringify(value, undefined, undefined, [
    { test: (member) => member instanceof JsonNumber, stringify: (member) => (member as JsonNumber).text },
  ]) ?? '';
