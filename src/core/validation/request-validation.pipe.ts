import { Injectable, type ArgumentMetadata, type PipeTransform, Body } from '@nestjs/common';
import { readMembers } from './read-members.js';
import type { Class } from './rule.js';

/**
 * Makes an instance of the class that a controller declares for a request's body or query.
 * @throws BAD_REQUEST with one detail per problem.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || isBuiltIn(metatype)) return value;
    // A missing body counts as an empty object; `null` is a body, but not an object.
    return readMembers(metatype as Class, value === undefined ? {} : value);
  }
}

const isBuiltIn = (type: unknown): boolean => [String, Number, Boolean, Array, Object].includes(type as never);

class NoMembers {}

const noMembers: PipeTransform<unknown, NoMembers> = {
  transform: (body) => readMembers(NoMembers, body === undefined ? {} : body),
};

/** For routes without a body; an empty object is allowed. @throws BAD_REQUEST for any other body. */
export const EmptyBody = (): ParameterDecorator => Body(noMembers);
