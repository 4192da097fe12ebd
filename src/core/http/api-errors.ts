import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiResponse } from '@nestjs/swagger';
import { errorBody, HTTP_STATUS, type ErrorCode, type ErrorDetail } from '../errors.js';

export class ErrorDetailDto {
  @ApiProperty({ type: String, example: 'items[0].quantity' }) field!: string;
  @ApiProperty({ type: String, example: 'OUT_OF_RANGE' }) code!: string;
  @ApiProperty({ type: String, example: 'items[0].quantity must be an integer from 1 to 100' })
  message!: string;
}

/** The body of every error (specification, section 7). */
export class ErrorDto {
  @ApiProperty({ type: 'integer', example: 400 }) status!: number;
  @ApiProperty({ type: String, enum: Object.keys(HTTP_STATUS), example: 'BAD_REQUEST' }) code!: string;
  @ApiProperty({ type: String, example: 'reference_id is required' }) message!: string;
  @ApiPropertyOptional({ type: [ErrorDetailDto], description: 'One entry per problem' })
  details?: ErrorDetailDto[];
}

const balanceMessage = 'Insufficient wallet balance: the order costs 70.00 THB, 12.50 THB are available';

const EXAMPLES: Record<Exclude<ErrorCode, 'REQUEST_TIMEOUT'>, [string, ErrorDetail[]?]> = {
  BAD_REQUEST: [
    'reference_id is required',
    [{ field: 'reference_id', code: 'REQUIRED', message: 'reference_id is required' }],
  ],
  UNAUTHORIZED: ['Invalid or missing API key'],
  FORBIDDEN: ['This API key may not be used from this address'],
  NOT_FOUND: ['There is no such order'],
  DUPLICATE_REFERENCE: ['reference_id "shop-10001" was already used for an order with different content'],
  CONFLICT: ['An attempt is in flight'],
  PAYLOAD_TOO_LARGE: ['The request body is larger than 256 KiB'],
  UNSUPPORTED_MEDIA_TYPE: ['The request body must be JSON: send it with Content-Type: application/json'],
  TOO_MANY_REQUESTS: ['More than 1000 requests per second with this API key: please slow down'],
  INTERNAL_ERROR: ['Something went wrong on our side: please try again or contact us'],
  SERVICE_UNAVAILABLE: [
    balanceMessage,
    [{ field: 'items', code: 'INSUFFICIENT_BALANCE', message: balanceMessage }],
  ],
};

type DocumentedCode = keyof typeof EXAMPLES;

/** Documents the errors of a route: those named, besides what every route of the merchant API can answer. */
export function ApiErrors(...codes: DocumentedCode[]): MethodDecorator & ClassDecorator {
  const always: DocumentedCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'TOO_MANY_REQUESTS', 'INTERNAL_ERROR'];
  return applyDecorators(
    ...[...codes, ...always].map((code) => {
      const [message, details] = EXAMPLES[code];
      return ApiResponse({
        status: HTTP_STATUS[code],
        description: code,
        type: ErrorDto,
        example: errorBody(code, message, details),
      });
    }),
  );
}
