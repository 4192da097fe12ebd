import { MAX_INTEGER } from '../core/pagination.js';
import { textProblem } from '../core/text.js';
import { Member } from '../core/validation/member.decorators.js';
import type { SuppliersService } from '../suppliers/suppliers.service.js';

// A filter of a list takes one value, or several with commas between. It matches entries with any of these values.

/** The maximum number of values in a filter that is not limited to a fixed list of values. */
const MAX_VALUES = 20;

/** A list that is not empty. */
type Values<Value> = [Value, ...Value[]];

/** Returns the values of a filter; undefined without the filter. */
export function valuesOf<Value extends string = string>(filter: string | undefined): Values<Value> | undefined {
  return filter === undefined ? undefined : ([...new Set(filter.split(','))] as Values<Value>);
}

/** Returns the ids of a filter; undefined without the filter. */
export const idsOf = (filter: string | undefined): Values<number> | undefined =>
  valuesOf(filter)?.map(Number) as Values<number> | undefined;

/** No supplier has this id. */
const NO_SUPPLIER_ID = -1;

/**
 * Returns the ids of the suppliers that a filter names by code; undefined without the filter. An unknown code matches
 * nothing.
 */
export async function supplierIdsOf(
  filter: string | undefined,
  suppliers: SuppliersService,
): Promise<Values<number> | undefined> {
  const codes = valuesOf(filter);
  if (codes === undefined) return undefined;
  const [first = NO_SUPPLIER_ID, ...others] = (await suppliers.list())
    .filter(({ code }) => codes.includes(code))
    .map(({ id }) => id);
  return [first, ...others];
}

/** Whether a text can be the id of a row, in a table whose ids are of type integer. */
export const isId = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && BigInt(text) <= MAX_INTEGER;

function Several(
  schema: { pattern?: string; example?: string },
  problemOf: (value: string) => string | null,
  description: string,
): PropertyDecorator {
  const problemIn = (given: unknown): string | null => {
    if (typeof given !== 'string') return 'must be one text';
    const values = new Set(given.split(','));
    if (schema.pattern === undefined && values.size > MAX_VALUES) return `must have at most ${MAX_VALUES} values`;
    return [...values].map(problemOf).find((problem) => problem !== null) ?? null;
  };
  const check = (given: unknown): { code: 'INVALID_VALUE'; words: string } | null => {
    const words = problemIn(given);
    return words === null ? null : { code: 'INVALID_VALUE', words };
  };
  return Member({ type: String, ...schema }, check, {
    optional: true,
    description: `${description} (one or several, with commas between)`,
  });
}

/** One or several of the given values. */
export function AnyOf(values: readonly string[], description: string): PropertyDecorator {
  const one = `(${values.map((value) => value.replaceAll('.', '\\.')).join('|')})`;
  const words = `must be one of ${values.join(', ')}, or several with commas between`;
  const problemOf = (value: string): string | null => (values.includes(value) ? null : words);
  return Several({ pattern: `^${one}(,${one})*$` }, problemOf, description);
}

/** One or several ids. */
export const AnyId = (description: string): PropertyDecorator =>
  Several(
    { example: '12,15' },
    (value) => (isId(value) ? null : 'must be an id such as 12, or several with commas between'),
    description,
  );

/** One or several texts without commas, such as the codes of suppliers. */
export const AnyText = (maximum: number, description: string): PropertyDecorator =>
  Several({ example: 'acme,digi' }, (value) => textProblem(value, 1, maximum), description);
