import { createParamDecorator, Param, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError, notFound } from '../../core/errors.js';
import { MAX_BIGINT, MAX_INTEGER } from '../../core/pagination.js';
import { mayBeStored } from '../../core/text.js';
import { codeProblem } from '../../suppliers/supplier-settings.js';

/** A parameter that the API document describes. */
const documented =
  (read: ParameterDecorator, document: MethodDecorator): ParameterDecorator =>
  (target, method, index) => {
    read(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    if (descriptor) document(target, method ?? '', descriptor);
  };

/** A parameter of the path. The controller gets the result of `transform`. */
export const PathParameter = (
  name: string,
  type: 'integer' | 'string',
  example: string,
  transform: (text: string) => unknown,
): ParameterDecorator => documented(Param(name, { transform }), ApiParam({ name, schema: { type }, example }));

/**
 * Text in the path.
 * @param what the kind of thing that the text names, such as a product, for the message.
 * @throws NOT_FOUND for text that can't name one.
 */
export const PathText = (
  name: string,
  what: string,
  example: string,
  canBe: (text: string) => boolean,
): ParameterDecorator =>
  PathParameter(name, 'string', example, (text) => {
    if (!canBe(text)) throw notFound(what);
    return text;
  });

/** An id in the path, as number. @throws as {@link PathText}. */
export const PathId = (what: string, name = 'id'): ParameterDecorator =>
  PathParameter(name, 'integer', '7', (text) => Number(readId(text, what, MAX_INTEGER)));

/** An id of 64 bits in the path, as bigint. @throws as {@link PathText}. */
export const PathBigId = (what: string): ParameterDecorator =>
  PathParameter('id', 'integer', '5012', (text) => readId(text, what, MAX_BIGINT));

function readId(text: string, what: string, maximum: bigint): bigint {
  const id = /^[1-9]\d{0,18}$/.test(text) ? BigInt(text) : 0n;
  if (id < 1n || id > maximum) throw notFound(what);
  return id;
}

export const SupplierCode = (): ParameterDecorator =>
  PathText('code', 'supplier', 'acme', (text) => codeProblem(text) === null);

/** The SKU of a product. */
export const Sku = (): ParameterDecorator => PathText('sku', 'product', 'MLBB-86', (text) => mayBeStored(text, 128));

export const Currency = (): ParameterDecorator =>
  PathText('currency', 'currency', 'IDR', (text) => /^[A-Z]{3}$/.test(text));

const readKey = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const key = context.switchToHttp().getRequest<Request>().get('idempotency-key');
  if (key === undefined || /^[\w-]{8,64}$/.test(key)) return key;
  throw new AppError('BAD_REQUEST', 'Idempotency-Key must be 8 to 64 letters, digits, _ and -');
});

/** The request's idempotency key; undefined without the header. @throws BAD_REQUEST for a key of another form. */
export const IdempotencyKey = (): ParameterDecorator =>
  documented(readKey(), ApiHeader({ name: 'Idempotency-Key', required: false, schema: { type: 'string' } }));
