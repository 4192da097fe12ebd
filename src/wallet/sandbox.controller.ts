import { Body, Controller, Post, UseGuards, type CanActivate } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { callerOf, type Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { noSuchRoute } from '../core/http/exception.filter.js';
import { newSandboxReference } from '../core/identifiers.js';
import { checkedBaht } from '../core/money.js';
import { SandboxCreditDto, WalletDto } from './wallet.dto.js';
import { toWalletDto } from './wallet.mapper.js';
import { WalletService } from './wallet.service.js';

/** Hides routes from merchants outside the sandbox: they get the answer of an unknown route. */
const sandboxOnly: CanActivate = {
  canActivate: (context) => {
    const request = context.switchToHttp().getRequest<Request>();
    if (callerOf(request)?.sandbox) return true;
    throw noSuchRoute(request);
  },
};

@ApiTags('Sandbox')
@ApiSecurity('api-key')
@UseGuards(sandboxOnly)
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly wallets: WalletService) {}

  @Post('wallet/credit')
  @ApiRoute({
    summary: 'Give your sandbox wallet money',
    description:
      'Only for keys that begin with `topup_test_`. Other keys get the answer for a path that does not exist. Each ' +
      'request adds the amount once more, with its own entry in the statement.',
    body: { type: SandboxCreditDto, examples: { 'A thousand baht': { amount: '1000.00' } } },
    answer: { type: WalletDto, description: 'The balances after the credit' },
    errors: ['BAD_REQUEST', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  async credit(@CurrentCaller() caller: Caller, @Body() { amount }: SandboxCreditDto): Promise<WalletDto> {
    const wallet = await this.wallets.credit({
      merchantId: caller.merchantId,
      amount: checkedBaht(amount),
      reference: newSandboxReference(),
      operator: 'sandbox',
      note: 'by the merchant itself',
      isOwn: true,
    });
    return toWalletDto(wallet);
  }
}
