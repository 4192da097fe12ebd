/** Strict readers for search parameters. An invalid value counts as absent. */

const MAX_LENGTH = 300;

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_LENGTH ? value : undefined;

export const whole = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[1-9]\d{0,18}$/.test(value) ? value : undefined;

/** A day, such as `2026-11-22`. */
export const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isInCalendar(value) ? value : undefined;

/** Browsers read February 30 as a day of March. */
function isInCalendar(value: string): boolean {
  const at = Date.parse(value);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** One or several values, with commas between. Those that `read` refuses are dropped. */
export function several(value: unknown, read: (each: string) => string | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const values = valuesOf(value).filter((each) => read(each) !== undefined);
  return values.length === 0 ? undefined : values.join(',');
}

/** The values of a filter that takes several. */
export const valuesOf = (value: string): string[] =>
  [...new Set(value.split(',').map((each) => each.trim()))].filter((each) => each !== '');

/** One or several of the choices, with commas between. */
export const choicesOf = (value: unknown, choices: readonly string[]): string | undefined =>
  several(value, (each) => choice(each, choices));

export const choice = <Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | undefined =>
  choices.find((each) => each === value);

/** Where sign-in leads. Only paths of this console are valid, never another site. */
export function localPath(value: string | undefined): string {
  return value !== undefined && /^\/(?![/\\])/.test(value) && !value.startsWith('/login') ? value : '/';
}

/** Drops the parameters that are absent. */
export function withoutUndefined<Params extends object>(params: Params): Partial<Params> {
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Params>;
}
