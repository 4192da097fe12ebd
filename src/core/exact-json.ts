import { parse, stringify } from 'lossless-json';

/** A number with its text, exactly as it stands in the JSON. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/**
 * Parses JSON so that numbers keep their text: no amount passes through a floating-point number.
 * @returns the value with a {@link JsonNumber} for each number; undefined for invalid JSON, or if an object has a member twice
 * with different values.
 */
export function parseExactJson(text: string): unknown {
  try {
    return parse(text, undefined, { parseNumber: (number) => new JsonNumber(number) });
  } catch {
    return undefined;
  }
}

/**
 * The position at which a text stops being JSON; null if it is JSON, or if the parser names no position. The messages
 * of JSON.parse often lack the position.
 */
export function findJsonProblem(text: string): number | null {
  try {
    parse(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
    return null;
  } catch (error) {
    const [, position] = / at position (\d+)$/.exec((error as Error).message) ?? [];
    return position === undefined ? null : Number(position);
  }
}

/** Writes JSON with the exact text of each {@link JsonNumber}. */
export const writeExactJson = (value: object): string =>
  stringify(value, undefined, undefined, [
    { test: (member) => member instanceof JsonNumber, stringify: (member) => (member as JsonNumber).text },
  ]) ?? '';
