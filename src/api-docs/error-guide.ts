import type { ErrorCode } from '../core/errors.js';
import type { FailureCode } from '../core/failures.js';

interface ErrorAdvice {
  /** The situations in which a client gets this error. */
  when: string;
  /** The client's next step. */
  then: string;
}

/** The documentation of each error code, in Markdown. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  BAD_REQUEST: {
    when: 'The body or a parameter breaks a rule; `message` says which, and so may `details`',
    then: 'Correct the request. Sending it again as it is helps only if a product is not sold at present, or its price has changed',
  },
  UNAUTHORIZED: {
    when: 'The API key is missing, wrong, expired or revoked',
    then: 'Check the header `X-API-Key`; ask the operator for a new key',
  },
  FORBIDDEN: {
    when: 'The key is valid, but you are suspended or your address is not in its allow-list',
    then: 'Ask the operator',
  },
  NOT_FOUND: {
    when: 'There is no such route, order, deposit, product, webhook, delivery or event of yours',
    then: 'Check path and identifier',
  },
  REQUEST_TIMEOUT: {
    when: 'The request took more than a minute to arrive',
    then: 'Send it again; a `reference_id` is charged once',
  },
  DUPLICATE_REFERENCE: {
    when: 'You have used this `reference_id` for an order or a deposit with other content',
    then: 'Use another `reference_id`. Orders and deposits may have the same one',
  },
  CONFLICT: {
    when: 'The present state forbids the action',
    then: 'Read `message`, and look at the state: it may forbid the action for good',
  },
  PAYLOAD_TOO_LARGE: { when: 'The body is larger than 256 KiB', then: 'Send less' },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The `Content-Type` is not JSON, or the `Content-Encoding` is not supported',
    then: 'Send `Content-Type: application/json`, uncompressed or with gzip, deflate or br',
  },
  TOO_MANY_REQUESTS: {
    when: 'More requests or player checks with this API key, or more new deposits or slips, than the limit allows',
    then: 'Wait for `Retry-After` seconds, and send it again. After the third slip of a deposit, send no more: wait for its payment',
  },
  INTERNAL_ERROR: {
    when: 'Something unforeseen happened on our side',
    then: 'Send it again with growing pauses; if the error remains, tell the operator the `X-Request-Id`',
  },
  SERVICE_UNAVAILABLE: {
    when:
      'The wallet has too little (`details[0].code` is `INSUFFICIENT_BALANCE`), or no account takes the deposit (`NO_CHANNEL`, ' +
      '`NO_FREE_AMOUNT`). With a `Retry-After`: the service is overloaded, or the database or a channel is away',
    then:
      '`INSUFFICIENT_BALANCE`: top up the wallet. `NO_FREE_AMOUNT`: choose another amount. `NO_CHANNEL`: choose another amount or ' +
      'channel, as `message` says, or try again later. With a `Retry-After`: wait for that many seconds, and send the same again',
  },
};

interface FailureAdvice {
  meaning: string;
  /** Whether the buyer can do something about it. */
  buyer: string;
  /** Whether a new order may succeed. */
  again: string;
}

/** The documentation of each failure code, in Markdown. */
export const FAILURE_ADVICE: Readonly<Record<FailureCode, FailureAdvice>> = {
  INVALID_PLAYER: {
    meaning: 'the player (`user_id`) does not exist',
    buyer: 'yes: check the id',
    again: 'yes, with the right id',
  },
  INVALID_SERVER: {
    meaning: 'the server does not exist or does not fit the player',
    buyer: 'yes: check the server',
    again: 'yes, with the right server',
  },
  PLAYER_NOT_ELIGIBLE: {
    meaning: 'the player may not receive this product (region, level, once-only offers)',
    buyer: 'sometimes',
    again: 'only when the player has become eligible',
  },
  LIMIT_EXCEEDED: {
    meaning: 'a purchase limit of the player or product was reached',
    buyer: 'by waiting',
    again: 'later',
  },
  OUT_OF_STOCK: { meaning: 'the supplier has none left', buyer: 'no', again: 'later' },
  ITEM_NOT_FOUND: {
    meaning: 'the supplier does not know the product',
    buyer: 'no',
    again: 'not before the operator has corrected the product',
  },
  PRODUCT_UNAVAILABLE: { meaning: 'the product is not sold at present', buyer: 'no', again: 'later' },
  SUPPLIER_REJECTED: {
    meaning: 'the supplier definitely refused, for a reason that is none of the others',
    buyer: 'no',
    again: 'perhaps; `failure_message` may say more',
  },
  SUPPLIER_UNAVAILABLE: {
    meaning: 'no supplier could sell it; nothing was bought',
    buyer: 'no',
    again: 'yes',
  },
  CANCELLED_BY_OPERATOR: {
    meaning: 'the operator cancelled it; nothing was bought',
    buyer: 'no',
    again: 'ask the operator',
  },
  PARTIALLY_COMPLETED: {
    meaning: 'orders only: some units succeeded, some failed; the items show which',
    buyer: 'see the items',
    again: 'for the failed units, as their codes say',
  },
};
