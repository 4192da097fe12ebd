// C0 and C1 controls and DEL: they can forge log lines and break terminals, and PostgreSQL can't store NUL.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** The length in code points, as the limits for merchants' texts count (contract, section 2). */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** Writes a count with its noun: `1 wallet`, `2 wallets`, `0 wallets`. */
export const counted = (count: number | bigint, singular: string, plural = `${singular}s`): string =>
  `${count} ${BigInt(count) === 1n ? singular : plural}`;

/** @returns the problem of a text, such as lone surrogates, control characters or its length; null if it is valid. */
export function textProblem(text: string, minimum: number, maximum: number): string | null {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (CONTROL.test(text)) return 'must not contain control characters';
  const length = text.length > maximum * 2 ? text.length : codePoints(text);
  if (length < minimum || length > maximum) return `must have ${minimum} to ${maximum} characters`;
  if (minimum > 0 && text.trim() === '') return 'must not be blank';
  return null;
}

/** Whether a text has at most `maximum` UTF-16 units, and neither NUL nor lone surrogates, which PostgreSQL refuses. */
export const mayBeStored = (text: string, maximum: number): boolean =>
  text.length <= maximum && !text.includes('\0') && text.isWellFormed();

/** Replaces each run of control characters by a blank, because they could rewrite a terminal or forge a line. */
export const printable = (text: string): string => text.replace(CONTROLS, ' ');

/** Makes foreign text safe to store, log and show, cut to a length in UTF-16 units. */
export function storable(text: string, maximum: number): string {
  return printable(text.toWellFormed()).trim().slice(0, maximum).toWellFormed();
}
