import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, ValidationTypes, ValidationError } from 'class-validator';
import { AppError, invalidRequest, type ErrorDetail } from '../errors.js';
import { accept } from './accept.js';
import { isPlainObject, type Class } from './class.js';
import { outlineOf } from './outline.js';
import { readProblem, type Problem } from './rule.js';

/** More problems than anyone reads; a body of nothing but unknown members has thousands. */
const MAX_DETAILS = 100;
/** Longer than any member's name: what is longer is cut where it is told. */
const MAX_FIELD_LENGTH = 99;

/**
 * Turns a request's body or query into its class, or refuses it with one detail per problem.
 * @throws BAD_REQUEST
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || isBuiltIn(metatype)) return value;
    // A request without a body asks for nothing; `null` is a body that is no object.
    return toInstance(metatype as Class, value === undefined ? {} : value);
  }
}

const isBuiltIn = (type: unknown): boolean =>
  [String, Number, Boolean, Array, Object].includes(type as never);

/** The same for values that do not come from a request. @throws BAD_REQUEST */
export function toInstance<Shape extends object>(shape: new () => Shape, value: unknown): Shape {
  if (!isPlainObject(value)) throw new AppError('BAD_REQUEST', 'The request body must be a JSON object');
  const accepted = accept(shape, value);
  if (accepted) return accepted;
  validate(shape, outlineOf(shape, value, MAX_DETAILS));
  // The outline breaks a rule wherever the value does. Should it not, the value itself has to be looked at.
  return validate(shape, value);
}

/** What class-validator says of a value, in our words. @throws BAD_REQUEST */
export function validate<Shape extends object>(shape: new () => Shape, value: object): Shape {
  // class-transformer silently drops members named as those of every object, and no unknown member may be dropped.
  const dropped = findInheritedName(value, '');
  if (dropped !== undefined) throw invalidRequest([unknownMember(dropped)]);
  const instance = plainToInstance(shape, value);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    stopAtFirstError: true,
  });
  for (const list of listsOf(shape)) {
    const value = (instance as Record<string, unknown>)[list];
    const isRefused = errors.some(({ property }) => property === list);
    if (Array.isArray(value) && !value.every(isPlainObject) && !isRefused)
      errors.push(Object.assign(new ValidationError(), { property: list, value }));
  }
  const [first, ...rest] = errors.flatMap((error) => toDetails(error, ''));
  if (first) throw invalidRequest([first, ...rest.slice(0, MAX_DETAILS - 1)]);
  return instance;
}

/** The members that are lists of objects. */
const listsOf = (shape: Class): string[] =>
  getMetadataStorage()
    .getTargetValidationMetadatas(shape, '', false, false)
    .filter(({ type }) => type === ValidationTypes.NESTED_VALIDATION)
    .map(({ propertyName }) => propertyName);

function findInheritedName(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const here = pathTo(path, name, Array.isArray(value));
    if (name in Object.prototype) return here;
    const found = findInheritedName(member, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One detail per refused member; a list whose elements are at fault is named by those elements. */
function toDetails(error: ValidationError, parent: string, isElement = false): ErrorDetail[] {
  const field = pathTo(parent, error.property, isElement);
  const { whitelistValidation, rule } = error.constraints ?? {};
  if (whitelistValidation !== undefined) return [unknownMember(field)];
  const problem = rule === undefined ? null : readProblem(rule);
  if (problem) return [toDetail(field, problem)];
  const { children = [] } = error;
  if (!Array.isArray(error.value)) return children.flatMap((child) => toDetails(child, field));
  return error.value.flatMap((element, index) =>
    isPlainObject(element)
      ? children
          .filter(({ property }) => property === String(index))
          .flatMap((child) => toDetails(child, field, true))
      : [toDetail(pathTo(field, String(index), true), { code: 'INVALID_TYPE', words: 'must be an object' })],
  );
}

const toDetail = (field: string, { code, words }: Problem): ErrorDetail => ({
  field,
  code,
  message: `${field} ${words}`,
});

const pathTo = (parent: string, name: string, isElement: boolean): string =>
  isElement ? `${parent}[${name}]` : parent === '' ? name : `${parent}.${name}`;

function unknownMember(path: string): ErrorDetail {
  const field = path.length > MAX_FIELD_LENGTH ? `${path.slice(0, MAX_FIELD_LENGTH)}…` : path;
  return { field, code: 'UNKNOWN_MEMBER', message: `${field} is not a member of this request` };
}

/** Refuses members of a request that takes none. @param names at least one. */
export function refuseMembers(names: string[]): AppError {
  const [first = '', ...rest] = names.slice(0, MAX_DETAILS);
  return invalidRequest([unknownMember(first), ...rest.map(unknownMember)]);
}
