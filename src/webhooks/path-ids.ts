import { Param, type PipeTransform } from '@nestjs/common';
import { AppError, invalidRequest } from '../core/errors.js';

const MAX_INTEGER = 2n ** 31n - 1n;
const MAX_BIGINT = 2n ** 63n - 1n;

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

export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `The ${what} was not found`);

const webhookId: PipeTransform<string, number> = {
  transform: (text) => Number(readId(text, 'id', 'webhook', MAX_INTEGER)),
};

const deliveryId: PipeTransform<string, bigint> = {
  transform: (text) => readId(text, 'delivery_id', 'delivery', MAX_BIGINT),
};

/** The webhook that the path names, as a number. @throws BAD_REQUEST, NOT_FOUND */
export const WebhookId = (): ParameterDecorator => Param('id', webhookId);

/** The delivery that the path names, as a bigint. @throws BAD_REQUEST, NOT_FOUND */
export const DeliveryId = (): ParameterDecorator => Param('delivery_id', deliveryId);
