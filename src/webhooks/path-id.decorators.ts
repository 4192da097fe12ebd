import { Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { invalidRequest, notFound } from '../core/errors.js';
import { MAX_BIGINT, MAX_INTEGER } from '../core/pagination.js';

/**
 * Reads an id of the path: what is no integer is a mistake of the caller; an integer that can't be an id names nothing
 * (contract, section 1).
 */
function readId(text: string, field: string, what: string, maximum: bigint): bigint {
  if (!/^-?\d+$/.test(text)) {
    const message = `${field} must be an integer`;
    throw invalidRequest([{ field, code: 'INVALID_TYPE', message }]);
  }
  // With more digits than this it is too large, whatever they are.
  const id = text.length > 40 ? 0n : BigInt(text);
  if (id < 1n || id > maximum) throw notFound(what);
  return id;
}

/** A parameter of the path, read by a pipe, and documented. */
const PathId =
  (name: string, example: number, pipe: PipeTransform<string>): ParameterDecorator =>
  (target, method, index) => {
    Param(name, pipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method ?? '');
    if (descriptor) ApiParam({ name, schema: { type: 'integer' }, example })(target, method ?? '', descriptor);
  };

/** The webhook that the path names, as a number. @throws BAD_REQUEST, NOT_FOUND */
export const WebhookId = (): ParameterDecorator =>
  PathId('id', 7, { transform: (text) => Number(readId(text, 'id', 'webhook', MAX_INTEGER)) });

/** The delivery that the path names, as a bigint. @throws BAD_REQUEST, NOT_FOUND */
export const DeliveryId = (): ParameterDecorator =>
  PathId('delivery_id', 5012, { transform: (text) => readId(text, 'delivery_id', 'delivery', MAX_BIGINT) });
