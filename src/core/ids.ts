const MAX_ID = 2 ** 31 - 1;

/** The id of a merchant or a key, from text. @returns null for a text that is no id. */
export function readId(text: string): number | null {
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  return value <= MAX_ID ? value : null;
}
