import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import type { WalletEntry } from '../../wallet/entries.js';
import { WalletEntryDto } from '../../wallet/wallet.dto.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/path-ids.js';
import { MerchantPages } from './merchant-pages.service.js';
import {
  ConsoleMerchantDto,
  MerchantsQueryDto,
  MerchantWalletDto,
  StatementQueryDto,
} from './merchant.dto.js';

@ApiTags('Merchants')
@Controller('api/merchants')
export class ConsoleMerchantsController {
  constructor(private readonly merchants: MerchantPages) {}

  @Get()
  @ConsoleRoute('merchants.read', {
    summary: 'Merchants, by their ids',
    answer: { pageOf: ConsoleMerchantDto },
  })
  list(
    @CurrentCaller() caller: Caller,
    @Query() query: MerchantsQueryDto,
  ): Promise<Page<ConsoleMerchantDto>> {
    return this.merchants.list(caller, query);
  }

  @Get(':id')
  @ConsoleRoute('merchants.read', { summary: 'A merchant', answer: { type: ConsoleMerchantDto } })
  show(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<ConsoleMerchantDto> {
    return this.merchants.show(caller, id);
  }

  @Get(':id/wallet')
  @ConsoleRoute('wallets.read', { summary: 'A merchant’s balances', answer: { type: MerchantWalletDto } })
  wallet(@PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return this.merchants.wallet(id);
  }

  @Get(':id/entries')
  @ConsoleRoute('statements.read', {
    summary: 'What moved the available balance, newest first',
    answer: { pageOf: WalletEntryDto },
  })
  entries(@PathId('merchant') id: number, @Query() query: StatementQueryDto): Promise<Page<WalletEntry>> {
    return this.merchants.entries(id, query);
  }
}
