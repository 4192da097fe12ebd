import { Body, type PipeTransform } from '@nestjs/common';
import { AppError, invalidRequest } from '../core/errors.js';

const empty: PipeTransform<unknown, void> = {
  transform(body) {
    if (body === undefined) return;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new AppError('BAD_REQUEST', 'The request body must be a JSON object');
    }
    const [first, ...rest] = Object.keys(body).map((field) => ({
      field,
      code: 'UNKNOWN_MEMBER',
      message: `${field} is not a member of this request`,
    }));
    if (first) throw invalidRequest([first, ...rest]);
  },
};

/** A request that takes no body; an empty object will do. @throws BAD_REQUEST for any other */
export const EmptyBody = (): ParameterDecorator => Body(empty);
