/** The control surface answers this error with 400 and `message`. */
export class Invalid extends Error {}

export const invalid = (message: string): Invalid => new Invalid(message);

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The condition for a member, with its words for messages. */
export interface Shape {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

/** The conditions for the members of an object, by name. */
export type Shapes = Readonly<Record<string, Shape>>;

export const text: Shape = { expected: 'a string', fits: (value) => typeof value === 'string' };
export const flag: Shape = { expected: 'true or false', fits: (value) => typeof value === 'boolean' };
export const integer: Shape = { expected: 'an integer', fits: (value) => Number.isSafeInteger(value) };
export const count: Shape = {
  expected: 'an integer from 0',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};
export const url: Shape = {
  expected: 'a URL',
  fits: (value) => typeof value === 'string' && URL.canParse(value),
};
export const object: Shape = { expected: 'an object', fits: isObject };

export const oneOf = (...values: readonly unknown[]): Shape => ({
  expected: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
  fits: (value) => values.includes(value),
});
export const orNull = ({ expected, fits }: Shape): Shape => ({
  expected: `${expected} or null`,
  fits: (value) => value === null || fits(value),
});
export const listOf = ({ expected, fits }: Shape): Shape => ({
  expected: `a list, each ${expected}`,
  fits: (value) => Array.isArray(value) && value.every(fits),
});

/**
 * `value` itself, if it is an object whose members are all in `shapes` and fit them.
 * @throws Invalid that names the first member that does not.
 */
export function checked<Wanted>(value: unknown, what: string, shapes: Shapes): Wanted {
  if (!isObject(value)) throw invalid(`${what} must be an object`);
  for (const [name, member] of Object.entries(value)) {
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined) throw invalid(`${what} has no member ${name}`);
    if (!shape.fits(member)) throw invalid(`${what}.${name} must be ${shape.expected}`);
  }
  return value as Wanted;
}
