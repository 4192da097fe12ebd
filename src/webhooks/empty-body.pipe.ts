import { Body, type PipeTransform } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { refuseMembers } from '../core/validation/validation.pipe.js';

const empty: PipeTransform<unknown, void> = {
  transform(body) {
    if (body === undefined) return;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new AppError('BAD_REQUEST', 'The request body must be a JSON object');
    }
    const names = Object.keys(body);
    if (names.length > 0) throw refuseMembers(names);
  },
};

/** A request that takes no body; an empty object will do. @throws BAD_REQUEST for any other */
export const EmptyBody = (): ParameterDecorator => Body(empty);
