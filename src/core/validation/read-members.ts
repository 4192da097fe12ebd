import { validateSync } from 'class-validator';
import { AppError, invalidRequest, type ErrorDetail } from '../errors.js';
import { isPlainObject, OWN_RULE, rulesOf, type Class, type Problem } from './rule.js';

/** The maximum of reported problems, more than a person reads. A body with unknown members could have thousands. */
const MAX_DETAILS = 100;
/** The maximum length of a path in messages. Longer paths are cut. No path of a valid member is longer. */
const MAX_FIELD_LENGTH = 99;

const UNKNOWN: Problem = { code: 'UNKNOWN_MEMBER', words: 'is not a member of this request' };

/**
 * Makes an instance of a class from a value, and leaves valid members unchanged. Stops at MAX_DETAILS problems, so that a body
 * with thousands of problems costs little.
 * @throws BAD_REQUEST with a detail for each of these problems: first unknown members, and then the others in the order of the
 * class. If the value is no object, the error has no details.
 */
export function readMembers<Shape extends object>(shape: new () => Shape, value: unknown): Shape {
  if (!isPlainObject(value)) throw new AppError('BAD_REQUEST', 'The request body must be a JSON object');
  const details: ErrorDetail[] = [];
  const instance = fill(shape, value, '', details);
  const [first, ...rest] = details;
  if (first) throw invalidRequest([first, ...rest.slice(0, MAX_DETAILS - 1)]);
  return instance as Shape;
}

/** @param path the path of the value, with a separator at its end; empty for the body. */
function fill(shape: Class, value: object, path: string, details: ErrorDetail[]): object {
  const { members, foreign } = rulesOf(shape);
  const instance = new shape() as Record<string, unknown>;
  for (const name of Object.keys(value)) {
    if (members.has(name)) instance[name] = (value as Record<string, unknown>)[name];
    else report(details, path + name, UNKNOWN);
    if (details.length >= MAX_DETAILS) return instance;
  }
  for (const [name, { check, element, inside }] of members) {
    const given = instance[name];
    const problem = check(given);
    if (problem) report(details, path + name, problem);
    else if (element && Array.isArray(given)) instance[name] = fillList(element, given, path + name, details);
    else if (inside) for (const [at, each] of inside(given)) report(details, path + name + at, each);
    if (details.length >= MAX_DETAILS) return instance;
  }
  if (foreign.size > 0) checkForeign(instance, foreign, path, details);
  return instance;
}

function fillList(element: Class, values: unknown[], path: string, details: ErrorDetail[]): unknown[] {
  return values.map((value, index) => {
    if (details.length >= MAX_DETAILS) return value;
    if (isPlainObject(value)) return fill(element, value, `${path}[${index}].`, details);
    report(details, `${path}[${index}]`, { code: 'INVALID_TYPE', words: 'must be an object' });
    return value;
  });
}

/** Checks members that have class-validator's own rules. */
function checkForeign(instance: object, foreign: Set<string>, path: string, details: ErrorDetail[]): void {
  for (const { property, constraints = {} } of validateSync(instance)) {
    if (!foreign.has(property) || OWN_RULE in constraints) continue;
    const [message = 'is not valid'] = Object.values(constraints);
    const words = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
    report(details, path + property, { code: 'INVALID_VALUE', words });
  }
}

function report(details: ErrorDetail[], path: string, { code, words }: Problem): void {
  const field = path.length > MAX_FIELD_LENGTH ? `${path.slice(0, MAX_FIELD_LENGTH)}…` : path;
  details.push({ field, code, message: `${field} ${words}` });
}
