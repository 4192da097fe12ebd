import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError } from '../../core/errors.js';

const HEADER = 'idempotency-key';
const FORM = /^[\w-]{8,64}$/;

const read = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const key = context.switchToHttp().getRequest<Request>().get(HEADER);
  if (key === undefined || FORM.test(key)) return key;
  throw new AppError('BAD_REQUEST', 'Idempotency-Key must be 8 to 64 letters, digits, _ and -');
});

/** The request's idempotency key; undefined without the header. @throws BAD_REQUEST for a key of another form. */
export const IdempotencyKey =
  () =>
  (target: object, method: string | symbol | undefined, index: number): void => {
    read()(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    const header = { name: 'Idempotency-Key', required: false, schema: { type: 'string' as const } };
    if (descriptor) ApiHeader(header)(target, method ?? '', descriptor);
  };
