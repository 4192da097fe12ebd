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
  @ApiOperation({
    summary: 'See your balance',
    description: 'What new orders can be paid from, and what is held for those that have not ended.',
  })
  @ApiOkResponse({ type: WalletDto, description: 'The balances' })
  @ApiErrors()
  async get(@CurrentCaller() caller: Caller): Promise<WalletDto> {
    return toWalletDto(await this.wallets.get(caller.merchantId));
  }

  @Get('entries')
  @ApiOperation({
    summary: 'List what moved your available balance, newest first',
    description: 'Each line has the balance that it left, so that they add up.',
  })
  @ApiPage(WalletEntryDto, 'A page of the statement')
  @ApiErrors('BAD_REQUEST')
  entries(@CurrentCaller() caller: Caller, @Query() query: PageQuery): Promise<Page<WalletEntryDto>> {
    return this.statement.list(caller.merchantId, query);
  }
}
