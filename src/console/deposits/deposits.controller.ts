import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { optionalBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathText } from '../access/parameters.js';
import { ReasonDto } from '../reason.dto.js';
import { DepositViewsService, recipientOf } from './deposit-views.service.js';
import { ConsoleDepositDto, ConsoleDepositsQueryDto, DepositDetailDto } from './deposit.dto.js';
import {
  CreditPaymentDto,
  DebitPaymentDto,
  DecidedPaymentDto,
  PaymentDto,
  PaymentsQueryDto,
  ReturnPaymentDto,
} from './payment.dto.js';

const DepositNumber = (): ParameterDecorator =>
  PathText('number', 'deposit', 'dep_Np3O7rcsqNmBTwD7', (text) => /^dep_\w{1,32}$/.test(text));
const PaymentId = (): ParameterDecorator =>
  PathText('id', 'payment', 'pay_4kQ2nD0sYvWcB8xR1tLmJ5', (text) => /^pay_\w{1,32}$/.test(text));

const DECIDES = {
  description:
    'Asks for confirmation. A payment is decided once: a second decision is 409 and names the first. Above `approval_above` ' +
    'it is 403 APPROVAL_REQUIRED.',
};

@ApiTags('Deposits')
@Controller('api/deposits')
export class ConsoleDepositsController {
  constructor(private readonly deposits: DepositViewsService) {}

  @Get()
  @ConsoleRoute('deposits.read', 'Deposits of merchants, newest first', [ConsoleDepositDto])
  list(@CurrentCaller() caller: Caller, @Query() query: ConsoleDepositsQueryDto): Promise<Page<ConsoleDepositDto>> {
    return this.deposits.list(caller, query);
  }

  @Get(':number')
  @ConsoleRoute('deposits.read', 'A deposit, with what happened to it', DepositDetailDto)
  show(@CurrentCaller() caller: Caller, @DepositNumber() number: string): Promise<DepositDetailDto> {
    return this.deposits.show(caller, number);
  }
}

@ApiTags('Deposits')
@Controller('api/payments')
export class ConsolePaymentsController {
  constructor(private readonly deposits: DepositViewsService) {}

  @Get()
  @ConsoleRoute('deposits.read', 'Payments that arrived; a waiting payment with the deposits that it may pay', [
    PaymentDto,
  ])
  list(@CurrentCaller() caller: Caller, @Query() query: PaymentsQueryDto): Promise<Page<PaymentDto>> {
    return this.deposits.listPayments(caller, query);
  }

  @Get(':id')
  @ConsoleRoute('deposits.read', 'A payment', PaymentDto)
  show(@CurrentCaller() caller: Caller, @PaymentId() id: string): Promise<PaymentDto> {
    return this.deposits.showPayment(caller, id);
  }

  @Post(':id/credit')
  @ConsoleRoute(
    'payments.decide',
    'Credit a waiting payment to a deposit, or to a merchant without one',
    DecidedPaymentDto,
    DECIDES,
  )
  credit(
    @CurrentCaller() caller: Caller,
    @PaymentId() id: string,
    @Body() { reason, expected_version: expectedVersion, ...to }: CreditPaymentDto,
  ): Promise<DecidedPaymentDto> {
    return this.deposits.decide(caller, id, { kind: 'credit', recipient: recipientOf(to), expectedVersion }, reason);
  }

  @Post(':id/return')
  @ConsoleRoute(
    'payments.decide',
    'Record that a waiting payment was sent back. This sends nothing',
    DecidedPaymentDto,
    DECIDES,
  )
  return(
    @CurrentCaller() caller: Caller,
    @PaymentId() id: string,
    @Body() { reference, reason }: ReturnPaymentDto,
  ): Promise<DecidedPaymentDto> {
    return this.deposits.decide(caller, id, { kind: 'return', reference }, reason);
  }

  @Post(':id/ignore')
  @ConsoleRoute('payments.decide', 'Record that a waiting payment belongs to no merchant', DecidedPaymentDto, DECIDES)
  ignore(
    @CurrentCaller() caller: Caller,
    @PaymentId() id: string,
    @Body() { reason }: ReasonDto,
  ): Promise<DecidedPaymentDto> {
    return this.deposits.decide(caller, id, { kind: 'ignore' }, reason);
  }

  @Post(':id/debit')
  @ConsoleRoute(
    'payments.decide',
    'Close a case: debit the payment from the wallet, as far as the money is available',
    DecidedPaymentDto,
    {
      description:
        `${DECIDES.description} 409 CHANGED_MEANWHILE if the available balance is not \`expected_available\`, or the amount to take ` +
        'back is not `expected_to_take_back`.',
    },
  )
  debit(
    @CurrentCaller() caller: Caller,
    @PaymentId() id: string,
    @Body() { reason, expected_available: available, expected_to_take_back: toTakeBack }: DebitPaymentDto,
  ): Promise<DecidedPaymentDto> {
    const expectedAvailable = optionalBaht(available);
    const expectedAmount = optionalBaht(toTakeBack);
    return this.deposits.decide(caller, id, { kind: 'debit', expectedAvailable, expectedAmount }, reason);
  }

  @Post(':id/keep')
  @ConsoleRoute('payments.decide', 'Close a case, and leave the money where it is', DecidedPaymentDto, {
    description: 'Asks for confirmation.',
  })
  keep(
    @CurrentCaller() caller: Caller,
    @PaymentId() id: string,
    @Body() { reason }: ReasonDto,
  ): Promise<DecidedPaymentDto> {
    return this.deposits.decide(caller, id, { kind: 'keep' }, reason);
  }
}
