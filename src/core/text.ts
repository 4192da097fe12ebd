// C0 and C1 controls, DEL included: they forge log lines and break terminals, and PostgreSQL cannot store NUL.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** The length in code points, which limits count (contract, section 2); cheap for the common short ASCII text. */
export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** `1 wallet`, `2 wallets`, `0 wallets`. */
export const counted = (count: number | bigint, singular: string, plural = `${singular}s`): string =>
  `${count} ${BigInt(count) === 1n ? singular : plural}`;

/** Why a text cannot be stored and echoed as it is: null when it can. */
export function textProblem(text: string, minimum: number, maximum: number): string | null {
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (CONTROL.test(text)) return 'must not contain control characters';
  const length = text.length > maximum * 2 ? text.length : codePoints(text);
  if (length < minimum || length > maximum) return `must have ${minimum} to ${maximum} characters`;
  if (minimum > 0 && text.trim() === '') return 'must not be blank';
  return null;
}

/** Whether a text of at most so many UTF-16 units may be in the database: NUL and lone surrogates are no text to PostgreSQL. */
export const mayBeStored = (text: string, maximum: number): boolean =>
  text.length <= maximum && !text.includes('\0') && text.isWellFormed();

/** Text with a blank for what could rewrite a terminal or forge a line. */
export const printable = (text: string): string => text.replace(CONTROLS, ' ');

/** Somebody else's text in a form that can be stored, logged and shown, cut to a length in UTF-16 units. */
export function storable(text: string, maximum: number): string {
  return printable(text.toWellFormed()).trim().slice(0, maximum).toWellFormed();
}
