import { registerDecorator, ValidateIf, type ValidationArguments } from 'class-validator';
import type { DetailCode } from '../errors.js';
import { textProblem } from '../text.js';
import type { Class } from './class.js';

/** Why a member is refused: the detail's code, and words that follow the member's path in the message. */
export interface Problem {
  code: DetailCode;
  words: string;
}

const SEPARATOR = '|';
/** The name under which class-validator knows our own rules. */
export const RULE = 'rule';

/** What the elements of a list of objects are instances of, and how many of them there may be. */
export interface ListRule {
  element: () => Class;
  maximum: number;
}

/**
 * A class-validator rule that can refuse for several reasons, each with a code of its own.
 * The code travels in front of the message: class-validator has one message per rule and nothing beside it.
 * @param list where the value is a list of objects.
 */
export function Rule(check: (value: unknown) => Problem | null, list?: ListRule): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: RULE,
      constraints: list ? [list] : [],
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown) => check(value) === null,
        defaultMessage: (args?: ValidationArguments) => {
          const { code, words } = check(args?.value) ?? { code: 'INVALID_VALUE', words: 'is not valid' };
          return code + SEPARATOR + words;
        },
      },
    });
  };
}

export function readProblem(message: string): Problem {
  const at = message.indexOf(SEPARATOR);
  return at < 0
    ? { code: 'INVALID_VALUE', words: message }
    : { code: message.slice(0, at) as DetailCode, words: message.slice(at + 1) };
}

/** The rules after it hold only where the member is there; null counts as absent. */
export const AbsentOrNull = (): PropertyDecorator =>
  ValidateIf((_body, value: unknown) => value !== undefined && value !== null);

/** The rules after it hold only where the member is there; null is a value like any other, and refused by them. */
export const Absent = (): PropertyDecorator => ValidateIf((_body, value: unknown) => value !== undefined);

const required: Problem = { code: 'REQUIRED', words: 'is required' };

/** Text as it is kept and echoed: no control characters, no lone surrogates, not blank. */
export const Text = (minimum: number, maximum: number): PropertyDecorator =>
  Rule((value) => textRule(value, minimum, maximum));

function textRule(value: unknown, minimum: number, maximum: number): Problem | null {
  if (value === undefined || value === null) return required;
  if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
  const words = textProblem(value, minimum, maximum);
  return words ? { code: 'INVALID_VALUE', words } : null;
}

/** A reference is also part of a URL's path, where `.` and `..` mean something else. */
export const Reference = (): PropertyDecorator =>
  Rule((value) => {
    if (value === '.' || value === '..') return { code: 'INVALID_VALUE', words: 'must not be . or ..' };
    return textRule(value, 1, 128);
  });

/** A JSON integer within bounds: neither `"2"`, nor `1.5`, nor `true`. */
export const Integer = (minimum: number, maximum: number): PropertyDecorator =>
  Rule((value) => {
    if (value === undefined || value === null) return required;
    const words = `must be an integer from ${minimum} to ${maximum}`;
    if (typeof value !== 'number') return { code: 'INVALID_TYPE', words };
    return Number.isInteger(value) && value >= minimum && value <= maximum
      ? null
      : { code: 'OUT_OF_RANGE', words };
  });

export const OneOf = (values: readonly string[]): PropertyDecorator =>
  Rule((value) => {
    if (value === undefined || value === null) return required;
    if (typeof value === 'string' && values.includes(value)) return null;
    return { code: 'INVALID_VALUE', words: `must be one of ${values.join(', ')}` };
  });

/** An array without repeats, of at least one of the given values. */
export const SomeOf = (values: readonly string[]): PropertyDecorator =>
  Rule((value) => {
    if (value === undefined || value === null) return required;
    if (!Array.isArray(value)) return { code: 'INVALID_TYPE', words: 'must be an array' };
    // Nobody looks through a list that is longer than all there is.
    const isShort = value.length > 0 && value.length <= values.length;
    const isSubset = isShort && value.every((each) => typeof each === 'string' && values.includes(each));
    if (isSubset && new Set(value).size === value.length) return null;
    return { code: 'INVALID_VALUE', words: `must name at least one of ${values.join(', ')}, each once` };
  });
