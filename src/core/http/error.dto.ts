import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  databaseUnavailable,
  DETAIL_CODES,
  errorBody,
  HTTP_STATUS,
  type DetailCode,
  type ErrorBody,
  type ErrorCode,
} from '../errors.js';
import { meanings } from './answer.decorators.js';

export class ErrorDetailDto {
  @ApiProperty({ example: 'items[0].quantity', description: 'The path of the member' })
  field!: string;
  @ApiProperty({
    enum: Object.keys(DETAIL_CODES),
    example: 'OUT_OF_RANGE',
    description: meanings('What is wrong with it', DETAIL_CODES),
  })
  code!: string;
  @ApiProperty({ example: 'items[0].quantity must be an integer from 1 to 100' })
  message!: string;
}

/** The body of every error (specification, section 7; `details`: contract, section 1). */
export class ErrorDto {
  @ApiProperty({ type: 'integer', example: 400 }) status!: number;
  @ApiProperty({ enum: Object.keys(HTTP_STATUS), example: 'BAD_REQUEST' }) code!: string;
  @ApiProperty({ example: 'reference_id is required' }) message!: string;
  @ApiPropertyOptional({ type: [ErrorDetailDto], description: 'One entry per problem' })
  details?: ErrorDetailDto[];
}

const balanceMessage = 'Insufficient wallet balance: the order costs 70.00 THB, 12.50 THB are available';

const withDetail = (code: ErrorCode, field: string, detail: DetailCode, message: string): ErrorBody =>
  errorBody(code, message, [{ field, code: detail, message }]);

/** An example of each documented error. */
export const ERROR_EXAMPLES = {
  BAD_REQUEST: errorBody('BAD_REQUEST', 'reference_id is required', [
    { field: 'reference_id', code: 'REQUIRED', message: 'reference_id is required' },
  ]),
  UNAUTHORIZED: errorBody('UNAUTHORIZED', 'Invalid or missing API key'),
  FORBIDDEN: errorBody('FORBIDDEN', 'This API key may not be used from this address'),
  NOT_FOUND: errorBody('NOT_FOUND', 'There is no order with this reference_id'),
  DUPLICATE_REFERENCE: errorBody(
    'DUPLICATE_REFERENCE',
    'reference_id "order-1001" was already used for order ord_Np3O7rcsqNmBTwD7, which has different content',
  ),
  CONFLICT: errorBody('CONFLICT', 'An attempt is in flight'),
  TOO_MANY_OPEN: withDetail(
    'CONFLICT',
    'reference_id',
    'TOO_MANY_OPEN',
    '10 deposits are pending: pay or cancel one first',
  ),
  PAYLOAD_TOO_LARGE: errorBody('PAYLOAD_TOO_LARGE', 'The request body is larger than 256 KiB'),
  UNSUPPORTED_MEDIA_TYPE: errorBody(
    'UNSUPPORTED_MEDIA_TYPE',
    'The request body must be JSON: send it with Content-Type: application/json',
  ),
  TOO_MANY_REQUESTS: errorBody(
    'TOO_MANY_REQUESTS',
    'More than 1000 requests per second with this API key: please slow down',
  ),
  INTERNAL_ERROR: errorBody('INTERNAL_ERROR', 'Something went wrong on our side: please try again or contact us'),
  INSUFFICIENT_BALANCE: errorBody('SERVICE_UNAVAILABLE', balanceMessage, [
    { field: 'items', code: 'INSUFFICIENT_BALANCE', message: balanceMessage },
  ]),
  NO_CHANNEL: withDetail('SERVICE_UNAVAILABLE', 'amount', 'NO_CHANNEL', 'no active channel takes 0.50 THB'),
  NO_FREE_AMOUNT: withDetail(
    'SERVICE_UNAVAILABLE',
    'amount',
    'NO_FREE_AMOUNT',
    'every amount near 1000.00 THB is reserved: nothing was created',
  ),
  CHANNEL_UNAVAILABLE: withDetail(
    'SERVICE_UNAVAILABLE',
    'channel',
    'CHANNEL_UNAVAILABLE',
    'the channel gave no QR code: repeat the request',
  ),
  INVALID_SLIP: withDetail(
    'BAD_REQUEST',
    'payload',
    'INVALID_SLIP',
    'payload is not the text of the QR code on a bank’s slip',
  ),
  SLIPS_NOT_TAKEN: withDetail(
    'CONFLICT',
    'payload',
    'SLIPS_NOT_TAKEN',
    'channel kbank takes no slips: wait for the payment',
  ),
  SERVICE_UNAVAILABLE: databaseUnavailable().toBody(),
};
