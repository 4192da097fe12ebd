import { PageQueryDto } from '../core/http/page-query.dto.js';
import { MAX_SATANG } from '../core/money.js';
import {
  AmountUpTo,
  Integer,
  Member,
  Moment,
  OneOf,
  Reference,
  Text,
  TextMap,
} from '../core/validation/member.decorators.js';
import type { Problem } from '../core/validation/rule.js';
import { DEPOSIT_STATUSES, type DepositStatus } from './deposit.entity.js';
import { readMiniQr } from './slips/mini-qr.js';

const TWO_DIGITS = {
  pattern: '^\\d{1,13}\\.\\d{2}$',
  words: 'must be an amount with two fraction digits such as 1000.00',
};

function slipProblem(value: unknown): Problem | null {
  if (typeof value !== 'string') return { code: 'INVALID_TYPE', words: 'must be a string' };
  return readMiniQr(value) ? null : { code: 'INVALID_SLIP', words: 'is not the text of the QR code on a bank’s slip' };
}

/** The body of POST /v1/deposits. */
export class CreateDepositDto {
  @Reference({
    example: 'deposit-1001',
    description:
      'Your identifier for the deposit, and the idempotency key: repeating the request returns the same deposit. ' +
      'A deposit and an order may have the same reference.',
  })
  reference_id!: string;

  @AmountUpTo(
    MAX_SATANG,
    { example: '1000.00', description: 'What is to be paid, THB, within the limits of the channel' },
    TWO_DIGITS,
  )
  amount!: string;

  @Text(1, 32, {
    optional: true,
    nullable: true,
    example: null,
    description: 'The operator’s name of an account. Without it, the operator’s preferred one that takes the amount',
  })
  channel?: string | null;

  @Integer(5, 86_400, {
    optional: true,
    nullable: true,
    example: 900,
    description: 'Seconds until the deposit expires: at least 60, in the sandbox at least 5; 900 if absent',
  })
  expires_in?: number | null;

  @TextMap({
    optional: true,
    nullable: true,
    example: { till: '3' },
    description:
      'Texts of your own, which the deposit then carries: up to 20, with names of up to 40 characters. A repeated request ' +
      'must have the same texts.',
  })
  metadata?: Record<string, string> | null;
}

/** The body of POST /v1/deposits/{reference_id}/slip. */
export class PresentSlipDto {
  @Member({ type: String, minLength: 1, maxLength: 128 }, slipProblem, {
    example: '0035000600000101030000214202611241530OK5102TH9104AE4F',
    description: 'The text of the QR code on the bank’s slip',
  })
  payload!: string;
}

export class DepositListQuery extends PageQueryDto {
  @OneOf(DEPOSIT_STATUSES, { optional: true })
  status?: DepositStatus;

  @Text(1, 128, { optional: true, description: 'The deposit with this reference' })
  reference_id?: string;

  @Moment({ optional: true, description: 'Created at this moment or later' })
  created_from?: string;

  @Moment({ optional: true, description: 'Created at this moment or earlier' })
  created_to?: string;
}
