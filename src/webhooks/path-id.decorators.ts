import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { invalidRequest, notFound } from '../core/errors.js';
import { MAX_BIGINT, MAX_INTEGER } from '../core/pagination.js';

/** Reads an id in the path: text that is no integer is BAD_REQUEST, an impossible id is NOT_FOUND (contract, section 1). */
function readId(text: string, field: string, what: string, maximum: bigint): bigint {
  if (!/^-?\d+$/.test(text)) {
    const message = `${field} must be an integer`;
    throw invalidRequest([{ field, code: 'INVALID_TYPE', message }]);
  }
  // A longer number is too large in any case, and slow to parse.
  const id = text.length > 40 ? 0n : BigInt(text);
  if (id < 1n || id > maximum) throw notFound(what);
  return id;
}

/** Reads a path parameter with a pipe, and documents it. */
const PathId =
  (name: string, example: number, pipe: PipeTransform<string>): ParameterDecorator =>
  (target, method, index) => {
    Param(name, pipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    if (descriptor) ApiParam({ name, schema: { type: 'integer' }, example })(target, method ?? '', descriptor);
  };

/** @throws BAD_REQUEST, NOT_FOUND */
export const WebhookId = (): ParameterDecorator =>
  PathId('id', 7, { transform: (text) => Number(readId(text, 'id', 'webhook', MAX_INTEGER)) });

/** @throws BAD_REQUEST, NOT_FOUND */
export const DeliveryId = (): ParameterDecorator =>
  PathId('delivery_id', 5012, { transform: (text) => readId(text, 'delivery_id', 'delivery', MAX_BIGINT) });
