/** What a body or a query is made into. */
export type Class = new () => object;

export const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
