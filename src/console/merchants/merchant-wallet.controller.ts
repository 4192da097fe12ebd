import { Body, Controller, Delete, Get, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/parameters.js';
import { MerchantWalletDto } from './merchant.dto.js';
import {
  AlertDto,
  ConsoleEntryDto,
  MovedDto,
  MoveDto,
  StatementPeriodDto,
  StatementQueryDto,
} from './merchant-wallet.dto.js';
import { MerchantWalletService } from './merchant-wallet.service.js';

const MOVES =
  'Asks for confirmation. The same reference with the same amount moves nothing, and answers when it was done; with ' +
  'another amount it is 409. Where `expected_available` is given and another amount is available: 409 CHANGED_MEANWHILE. More than ' +
  '`approval_above` is 403 APPROVAL_REQUIRED.';

@ApiTags('Merchants')
@Controller('api/merchants/:id')
export class ConsoleWalletController {
  constructor(private readonly wallet: MerchantWalletService) {}

  @Get('wallet')
  @ConsoleRoute('wallets.read', 'A merchant’s balances', MerchantWalletDto)
  show(@PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return this.wallet.show(id);
  }

  @Get('entries')
  @ConsoleRoute('statements.read', 'What moved the available balance, newest first', [ConsoleEntryDto])
  entries(@PathId('merchant') id: number, @Query() query: StatementQueryDto): Promise<Page<ConsoleEntryDto>> {
    return this.wallet.entries(id, query);
  }

  @Get('entries.csv')
  @ConsoleRoute('statements.read', 'The same of a period as CSV, at most 1,000,000 lines', 'csv', {
    description: 'UTF-8 with a byte order mark. It stands in the log with the period and the number of lines.',
  })
  export(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() query: StatementPeriodDto,
    @Res() response: Response,
  ): Promise<void> {
    return this.wallet.export(caller, id, query, response);
  }

  @Post('credits')
  @ConsoleRoute('wallets.move', 'Deposit', MovedDto, { description: MOVES })
  credit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.wallet.move(caller, id, 'credit', body);
  }

  @Post('debits')
  @ConsoleRoute('wallets.move', 'Take out', MovedDto, { description: MOVES })
  debit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.wallet.move(caller, id, 'debit', body);
  }

  @Put('alert')
  @ConsoleRoute(
    'alerts.set',
    'Set the available balance below which the merchant’s webhooks are notified',
    MerchantWalletDto,
    {
      description: 'Setting it tells nobody: a movement that crosses it does.',
    },
  )
  setAlert(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Body() body: AlertDto,
  ): Promise<MerchantWalletDto> {
    return this.wallet.setAlert(caller, id, body);
  }

  @Delete('alert')
  @ConsoleRoute('alerts.set', 'Take the alert off', MerchantWalletDto)
  removeAlert(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return this.wallet.setAlert(caller, id, null);
  }
}
