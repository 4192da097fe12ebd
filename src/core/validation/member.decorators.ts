import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { formatBaht, parseBaht, type Satang } from '../money.js';
import { isDay, isTimezone, readMoment } from '../moments.js';
import { textProblem } from '../text.js';
import { isPlainObject, Rule, type Class, type MemberRule, type Problem } from './rule.js';

// Each decorator both checks a member of a request and documents it. What JSON Schema can't say, only the check knows.

/** The options that all these decorators have. */
export interface MemberOptions {
  /** Whether the member may be left out. */
  optional?: boolean;
  /** Whether null counts as left out, for an optional member. Without this option, null is refused as `REQUIRED`. */
  nullable?: boolean;
  description?: string;
  example?: unknown;
}

const required: Problem = { code: 'REQUIRED', words: 'is required' };
const mayNotBeNull: Problem = { code: 'REQUIRED', words: 'must not be null' };

/**
 * A member with its own rule. All other decorators use this one.
 * @param schema the rule in OpenAPI's terms, for the documentation.
 * @param check gets only values that are neither absent nor null.
 */
export function Member(
  schema: ApiPropertyOptions,
  check: (value: unknown) => Problem | null,
  { optional = false, ...about }: MemberOptions,
  parts: Pick<MemberRule, 'element' | 'inside'> = {},
): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ ...schema, ...about, required: !optional } as never),
    Rule({
      check: (value) => {
        if (value === undefined || (value === null && about.nullable)) return optional ? null : required;
        if (value === null) return optional ? mayNotBeNull : required;
        return check(value);
      },
      ...parts,
    }),
  );
}

/** Text of `minimum` to `maximum` characters, without control characters and lone surrogates. Blank only if it may be empty. */
export const Text = (minimum: number, maximum: number, options: MemberOptions = {}): PropertyDecorator =>
  TextThat((value) => textProblem(value, minimum, maximum), { minLength: minimum, maxLength: maximum }, options);

/** The merchant's reference. It is also a part of a URL's path, so `.` and `..` are refused: they have a meaning there. */
export const Reference = (options: MemberOptions = {}): PropertyDecorator =>
  TextThat(
    (value) => (value === '.' || value === '..' ? 'must not be . or ..' : textProblem(value, 1, 128)),
    { minLength: 1, maxLength: 128 },
    options,
  );

/** Text with its own rule, which has several messages. @param problemOf returns the message for a text, or null if it is valid. */
export const TextThat = (
  problemOf: (value: string) => string | null,
  schema: ApiPropertyOptions,
  options: MemberOptions = {},
): PropertyDecorator =>
  Member(
    { type: String, ...schema },
    (value) => {
      if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
      const words = problemOf(value);
      return words === null ? null : { code: 'INVALID_VALUE', words };
    },
    options,
  );

/** Text with its own rule, which has one message. @param words the message, such as `must be …`. */
export const Fitting = (fits: (value: string) => boolean, words: string, options: MemberOptions): PropertyDecorator =>
  TextThat((value) => (fits(value) ? null : words), {}, options);

/** The name of a time zone. */
export const Timezone = (options: MemberOptions): PropertyDecorator =>
  Fitting(isTimezone, 'must be the name of a time zone such as Asia/Bangkok', { example: 'Asia/Bangkok', ...options });

/** A JSON integer within bounds: neither `"2"`, nor `1.5`, nor `true`. */
export function Integer(minimum: number, maximum: number, options: MemberOptions = {}): PropertyDecorator {
  const words = `must be an integer from ${minimum} to ${maximum}`;
  return Member(
    { type: 'integer', minimum, maximum },
    (value) => {
      if (typeof value !== 'number') return { code: 'INVALID_TYPE', words };
      const fits = Number.isInteger(value) && value >= minimum && value <= maximum;
      return fits ? null : { code: 'OUT_OF_RANGE', words };
    },
    options,
  );
}

/** A JSON boolean: neither `"true"` nor `1`. */
export const Flag = (options: MemberOptions = {}): PropertyDecorator =>
  Member(
    { type: Boolean },
    (value) => (typeof value === 'boolean' ? null : { code: 'INVALID_TYPE', words: 'must be true or false' }),
    options,
  );

export const OneOf = (values: readonly string[], options: MemberOptions = {}): PropertyDecorator =>
  Member(
    { type: String, enum: values as string[] },
    (value) =>
      typeof value === 'string' && values.includes(value)
        ? null
        : { code: 'INVALID_VALUE', words: `must be one of ${values.join(', ')}` },
    options,
  );

/** An array of one or more of the given values, each at most once. */
export const SomeOf = (values: readonly string[], options: MemberOptions = {}): PropertyDecorator =>
  Member(
    { type: String, isArray: true, enum: values as string[], minItems: 1 },
    (value) => {
      if (!Array.isArray(value)) return { code: 'INVALID_TYPE', words: 'must be an array' };
      // A list with more elements than there are allowed values cannot be valid, so its values need no check.
      const isShort = value.length > 0 && value.length <= values.length;
      const isSubset = isShort && value.every((each) => typeof each === 'string' && values.includes(each));
      if (isSubset && new Set(value).size === value.length) return null;
      return {
        code: 'INVALID_VALUE',
        words: `must contain one or more of ${values.join(', ')}, and none of them twice`,
      };
    },
    options,
  );

/** The problem of a value that is no list, or has too few or too many elements. */
export function listProblem(value: unknown, minimum: number, maximum: number): Problem | null {
  if (!Array.isArray(value)) return { code: 'INVALID_TYPE', words: 'must be an array' };
  return value.length >= minimum && value.length <= maximum
    ? null
    : { code: 'OUT_OF_RANGE', words: `must have ${minimum} to ${maximum} elements` };
}

/** An array of `minimum` to `maximum` objects of one class. */
export const ListOf = (
  element: Class,
  minimum: number,
  maximum: number,
  options: MemberOptions = {},
): PropertyDecorator =>
  Member(
    { type: [element], minItems: minimum, maxItems: maximum },
    (value) => listProblem(value, minimum, maximum),
    options,
    { element },
  );

/** The limits of a {@link TextMap}: the number of texts, and the characters of a name and of a text. */
const TEXT_MAP = { maxEntries: 20, maxKeyLength: 40, maxValueLength: 500 };

/** An object whose names the caller chooses. Each value is a text, which may be empty. */
export function TextMap(options: MemberOptions = {}): PropertyDecorator {
  const { maxEntries, maxKeyLength, maxValueLength } = TEXT_MAP;
  return Member(
    {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: maxValueLength },
      maxProperties: maxEntries,
    },
    (value) => {
      if (!isPlainObject(value)) return { code: 'INVALID_TYPE', words: 'must be an object' };
      const keys = Object.keys(value);
      if (keys.length > maxEntries) return { code: 'OUT_OF_RANGE', words: `must have at most ${maxEntries} members` };
      const words = keys.map((key) => textProblem(key, 1, maxKeyLength)).find((problem) => problem !== null);
      return words === undefined ? null : { code: 'INVALID_VALUE', words: `has a member whose name ${words}` };
    },
    options,
    {
      *inside(value) {
        for (const [key, text] of isPlainObject(value) ? Object.entries(value as Record<string, unknown>) : []) {
          const problem = textProblemOf(text, maxValueLength);
          if (problem) yield [`.${key}`, problem];
        }
      },
    },
  );
}

function textProblemOf(value: unknown, maximum: number): Problem | null {
  if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
  const words = textProblem(value, 0, maximum);
  return words === null ? null : { code: 'INVALID_VALUE', words };
}

const AMOUNT_PATTERN = '^\\d{1,13}(\\.\\d{1,2})?$';

/** An amount of money in baht, such as `35.00`; {@link parseBaht} reads it. */
export const Amount = (options: MemberOptions = {}): PropertyDecorator =>
  TextThat(
    (value) => (parseBaht(value) === null ? 'must be an amount such as 35.00' : null),
    { pattern: AMOUNT_PATTERN },
    options,
  );

/** An amount above 0.00 and up to `max`. @param form a narrower pattern, and the message for other text. */
export function AmountUpTo(
  max: Satang,
  options: MemberOptions = {},
  form?: { pattern: string; words: string },
): PropertyDecorator {
  const words = `must be an amount from 0.01 to ${formatBaht(max)}`;
  const pattern = form?.pattern ?? AMOUNT_PATTERN;
  return Member(
    { type: String, pattern },
    (value) => {
      if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
      if (!new RegExp(pattern).test(value)) return { code: 'INVALID_VALUE', words: form?.words ?? words };
      const amount = parseBaht(value);
      return amount !== null && amount > 0n && amount <= max ? null : { code: 'OUT_OF_RANGE', words };
    },
    options,
  );
}

/** An IPv4 or IPv6 address, without a zone. */
export const IpAddress = (options: MemberOptions = {}): PropertyDecorator =>
  TextThat(
    (value) =>
      isIP(value) === 0 || value.includes('%') ? 'must be an IPv4 or IPv6 address such as 203.0.113.7' : null,
    {},
    options,
  );

/** A day such as `2026-01-15`, as text. */
export const Day = (options: MemberOptions = {}): PropertyDecorator =>
  TextThat((value) => (isDay(value) ? null : 'must be a day such as 2026-01-15'), { format: 'date' }, options);

/** A moment in ISO 8601 with a time zone, as text; {@link readMoment} makes a Date of it. */
export const Moment = (options: MemberOptions = {}): PropertyDecorator =>
  Member(
    { type: String, format: 'date-time' },
    (value) =>
      typeof value === 'string' && readMoment(value)
        ? null
        : { code: 'INVALID_VALUE', words: 'must be a moment such as 2026-01-15T08:30:00Z' },
    options,
  );
