import { Controller, Get, Query } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { PageQueryDto } from '../core/http/page-query.dto.js';
import type { Page } from '../core/pagination.js';
import { WalletEntriesService } from './wallet-entries.service.js';
import { WalletDto, WalletEntryDto } from './wallet.dto.js';
import { toWalletDto } from './wallet.mapper.js';
import { WalletService } from './wallet.service.js';

@ApiTags('Wallet')
@ApiSecurity('api-key')
@Controller('v1/wallet')
export class WalletController {
  constructor(
    private readonly wallets: WalletService,
    private readonly walletEntries: WalletEntriesService,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'See your balance',
    description: 'The balance that new orders are paid from, and the amount held for open orders.',
    answer: { type: WalletDto, description: 'The balances' },
    errors: [],
  })
  async get(@CurrentCaller() caller: Caller): Promise<WalletDto> {
    return toWalletDto(await this.wallets.get(caller.merchantId));
  }

  @Get('entries')
  @ApiRoute({
    summary: 'List movements of your available balance, newest first',
    description: 'Each entry shows the balance after it.',
    answer: { pageOf: WalletEntryDto, description: 'A page of the statement' },
    errors: ['BAD_REQUEST'],
  })
  entries(@CurrentCaller() caller: Caller, @Query() query: PageQueryDto): Promise<Page<WalletEntryDto>> {
    return this.walletEntries.list(caller.merchantId, query);
  }
}
