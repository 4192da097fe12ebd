import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/api-key-verifier.js';
import { CurrentCaller } from '../auth/authentication.js';
import { ApiErrors } from '../core/http/api-errors.js';
import { ApiPage, PageQuery, type Page } from '../core/pagination.js';
import { StatementService } from './statement.service.js';
import { toWalletDto, WalletDto, WalletEntryDto } from './wallet.dto.js';
import { WalletService } from './wallet.service.js';

@ApiTags('Wallet')
@ApiSecurity('api-key')
@Controller('v1/wallet')
export class WalletController {
  constructor(
    private readonly wallets: WalletService,
    private readonly statement: StatementService,
  ) {}

  @Get()
  @ApiOperation({ summary: 'See your balance' })
  @ApiOkResponse({ type: WalletDto, description: 'The balances' })
  @ApiErrors()
  async get(@CurrentCaller() caller: Caller): Promise<WalletDto> {
    return toWalletDto(await this.wallets.get(caller.merchantId));
  }

  @Get('entries')
  @ApiOperation({ summary: 'List what moved your available balance, newest first' })
  @ApiPage(WalletEntryDto, 'A page of the statement')
  @ApiErrors('BAD_REQUEST')
  entries(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<WalletEntryDto>> {
    return this.statement.list(caller.merchantId, query);
  }
}
