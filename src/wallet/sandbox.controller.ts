import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { SandboxGuard } from '../auth/sandbox.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { checkedBaht } from '../core/money.js';
import { SandboxCreditDto, WalletDto } from './wallet.dto.js';
import { SandboxWalletService } from './sandbox-wallet.service.js';
import { toWalletDto } from './wallet.mapper.js';

@ApiTags('Sandbox')
@ApiSecurity('api-key')
@UseGuards(SandboxGuard)
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly wallets: SandboxWalletService) {}

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
    const satang = checkedBaht(amount);
    return toWalletDto(await this.wallets.credit(caller.merchantId, satang));
  }
}
