import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import type { Page } from '../core/pagination.js';
import { EmptyBody } from '../core/validation/request-validation.pipe.js';
import { CreateDepositDto, DepositListQuery, PresentSlipDto } from './deposit-requests.dto.js';
import { DepositDto } from './deposit.dto.js';
import { MerchantDepositsService } from './merchant-deposits.service.js';

const DEPOSIT_EXAMPLES = {
  'A thousand baht': { reference_id: 'deposit-1001', amount: '1000.00' },
  'Within five minutes, with texts of your own': {
    reference_id: 'deposit-1002',
    amount: '2500.00',
    expires_in: 300,
    metadata: { till: '3' },
  },
};

const SLIP_EXAMPLES = {
  'A slip that the sandbox confirms': { payload: '0035000600000101030000214202611241530OK5102TH9104AE4F' },
};

const ReferenceParam = (): MethodDecorator =>
  ApiParam({ name: 'reference_id', description: 'The reference_id given at creation', example: 'deposit-1001' });

@ApiTags('Deposits')
@ApiSecurity('api-key')
@Controller('v1/deposits')
export class DepositsController {
  constructor(private readonly deposits: MerchantDepositsService) {}

  @Post()
  @ApiRoute({
    summary: 'Make a deposit',
    description:
      'Returns a QR code that any Thai banking app pays. The wallet is credited when the payment arrives. Repeating the ' +
      'request returns the same deposit as it stands, with the header `Idempotent-Replayed: true`.',
    body: { type: CreateDepositDto, examples: DEPOSIT_EXAMPLES },
    answer: {
      type: DepositDto,
      description: 'The deposit',
      headers: {
        'Idempotent-Replayed': {
          schema: { type: 'string', enum: ['true'] },
          description: 'The deposit was there before. Absent from a new one.',
          example: 'true',
        },
      },
    },
    errors: [
      'BAD_REQUEST',
      'DUPLICATE_REFERENCE',
      'TOO_MANY_OPEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'NO_CHANNEL',
      'NO_FREE_AMOUNT',
      'CHANNEL_UNAVAILABLE',
    ],
  })
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateDepositDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DepositDto> {
    const { deposit, replayed } = await this.deposits.create(caller, body);
    if (replayed) response.setHeader('Idempotent-Replayed', 'true');
    return deposit;
  }

  @Get()
  @ApiRoute({
    summary: 'List your deposits, newest first',
    description: 'A page at a time, without `qr_image`.',
    answer: { pageOf: DepositDto, description: 'A page of deposits' },
    errors: ['BAD_REQUEST'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: DepositListQuery): Promise<Page<DepositDto>> {
    return this.deposits.list(caller.merchantId, query);
  }

  @Get(':reference_id')
  @ReferenceParam()
  @ApiRoute({
    summary: 'Follow a deposit',
    description: 'By your `reference_id`; `deposit_number` is not accepted.',
    answer: { type: DepositDto, description: 'The deposit as it stands now' },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  get(@CurrentCaller() caller: Caller, @Param('reference_id') referenceId: string): Promise<DepositDto> {
    return this.deposits.get(caller.merchantId, referenceId);
  }

  @Post(':reference_id/cancel')
  @ReferenceParam()
  @ApiRoute({
    summary: 'Cancel a deposit',
    description:
      'The QR code should not be paid any more. The same request again changes nothing. A payment that is under way still counts: then the deposit becomes `paid`. ' +
      'One that is `paid` or `expired` can’t be cancelled.',
    answer: { type: DepositDto, description: 'The cancelled deposit' },
    errors: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  cancel(
    @CurrentCaller() caller: Caller,
    @Param('reference_id') referenceId: string,
    @EmptyBody() _body: void,
  ): Promise<DepositDto> {
    return this.deposits.cancel(caller.merchantId, referenceId);
  }

  @Post(':reference_id/slip')
  @ReferenceParam()
  @ApiRoute({
    summary: 'Present a slip',
    description:
      'Send the text of the QR code on the payer’s slip, and the service finds the payment sooner, if the channel takes slips. ' +
      'The service queries the sending bank, because a slip proves nothing. `slip` in the answer says what became of it; the same slip ' +
      'again returns the deposit as it stands. In the sandbox, the end of the slip’s number decides.',
    body: { type: PresentSlipDto, examples: SLIP_EXAMPLES },
    answer: { type: DepositDto, description: 'The deposit, with the slip' },
    errors: [
      'BAD_REQUEST',
      'INVALID_SLIP',
      'NOT_FOUND',
      'SLIPS_NOT_TAKEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  })
  presentSlip(
    @CurrentCaller() caller: Caller,
    @Param('reference_id') referenceId: string,
    @Body() body: PresentSlipDto,
  ): Promise<DepositDto> {
    return this.deposits.presentSlip(caller.merchantId, referenceId, body);
  }
}
