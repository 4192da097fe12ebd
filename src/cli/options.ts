import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseMicros } from '../core/cost-money.js';
import { readId } from '../core/identifiers.js';
import { formatBaht, MAX_SATANG, parseBaht, parsePercentage, type Percentage, type Satang } from '../core/money.js';
import { isDay, isTimezone, readMoment } from '../core/moments.js';
import { parseNetwork } from '../core/networks.js';
import { CommandError } from './problems.js';

// A function with a parameter `text` reads one argument of a command, or throws an error that names the valid values.

/** An id that is a number, such as a merchant's. */
export function id(text: string): number {
  const value = readId(text);
  if (value !== null) return value;
  throw new InvalidArgumentError('It must be an id: a whole number such as 12.');
}

/** An amount in baht. @returns satang. */
export function baht(text: string): Satang {
  const amount = parseBaht(text);
  if (amount !== null) return amount;
  throw new InvalidArgumentError(
    `It must be an amount in baht such as 1000.00, from 0.00 to ${formatBaht(MAX_SATANG)}.`,
  );
}

/** An amount in a supplier's currency. @returns millionths. */
export function micros(text: string): bigint {
  const amount = parseMicros(text);
  if (amount !== null) return amount;
  throw new InvalidArgumentError('It must be an amount such as 10000 or 23.5, with up to six fraction digits.');
}

/** A currency code of three letters. */
export function currency(text: string): string {
  const code = text.toUpperCase();
  if (/^[A-Z]{3}$/.test(code)) return code;
  throw new InvalidArgumentError('It must be a currency code of three letters, such as IDR.');
}

/** A percentage from 0 to 999.99. @returns it as decimal text. */
export function percent(text: string): string {
  if (/^\d{1,3}(\.\d{1,2})?$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a percentage such as 5 or 2.5, with up to two fraction digits.');
}

/** A change of a price, in percent. */
export function percentage(text: string): Percentage {
  const value = parsePercentage(text);
  if (value) return value;
  throw new InvalidArgumentError('It must be a percentage above -100 such as -3.5.');
}

/** A whole number within bounds. */
export const integer =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };

/** One of a few words. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (text: string): Word => {
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`It must be one of ${words.join(', ')}.`);
  };

/** Networks in CIDR notation or single addresses, separated by commas. A repeated option adds more. */
export function networks(text: string, earlier: string[] = []): string[] {
  const parts = text.split(',').map((part) => part.trim());
  const wrong = parts.find((part) => !parseNetwork(part));
  if (wrong === undefined) return [...earlier, ...parts];
  throw new InvalidArgumentError(
    `${JSON.stringify(wrong)} is not a network: write networks like 203.0.113.0/24,198.51.100.7,2001:db8::/32.`,
  );
}

/** A moment in ISO 8601 with its time zone, or a date, which means its start in UTC. */
export function moment(text: string): Date {
  const value = readMoment(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00Z` : text);
  // ISO 8601 allows T24 as the start of the next day, which is hardly what the operator means.
  if (value && !text.includes('T24')) return value;
  throw new InvalidArgumentError(
    'It must be a moment with its time zone such as 2027-01-31T18:00:00+07:00, or a date such as 2027-01-31.',
  );
}

/** The name of a time zone. */
export function timezone(text: string): string {
  if (isTimezone(text)) return text;
  throw new InvalidArgumentError('It must be the name of a time zone such as Asia/Bangkok or UTC.');
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
const MAX_SECONDS = 36_500 * SECONDS.d;

/** A length of time such as 15m. @returns seconds. */
export function age(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const seconds = Number(match?.[1]) * SECONDS[(match?.[2] ?? 's') as keyof typeof SECONDS];
  if (seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError('It must be a length of time: a whole number and s, m, h or d, such as 15m.');
}

/** A unit of an order by item and number, such as 1.2. */
export function unit(text: string): { item: number; unit: number } {
  const match = /^([1-9]\d{0,2})\.([1-9]\d{0,2})$/.exec(text);
  if (match) return { item: Number(match[1]), unit: Number(match[2]) };
  throw new InvalidArgumentError('It must be item.unit such as 1.2; topup order show lists them.');
}

/** A day such as 2027-01-31. */
export function day(text: string): string {
  if (isDay(text) && moment(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2027-01-31.');
}

/** A month such as 2027-01. */
export function month(text: string): string {
  if (/^[1-9]\d{3}-(0[1-9]|1[0-2])$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a month such as 2027-01.');
}

/** A directory. An empty text, as of an unset variable, would mean the current one. */
export function directory(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must be a directory such as /archive.');
}

/** For reports. Without this option, a report covers live merchants only. */
export const includeSandboxOption = (): Option => new Option('--include-sandbox', 'also report on sandbox merchants');

/** Standard output has either JSON or another format. @throws CommandError if both are requested. */
export function refuseBoth(command: Command, other: string): void {
  if (command.optsWithGlobals<{ json?: boolean }>().json) {
    throw new CommandError(`choose one: ${other} or --json`);
  }
}

/** The value of an option as a list, because filters match any of several values. Undefined without the option. */
export const only = <Value>(value: Value | undefined): [Value] | undefined =>
  value === undefined ? undefined : [value];

type Bound = [option: string, moment: Date | undefined];

/** @throws CommandError unless a period ends after it begins. */
export function assertPeriod([from, start]: Bound, [to, end]: Bound): void {
  if (start && end && start >= end) throw new CommandError(`${to} must be later than ${from}`);
}
