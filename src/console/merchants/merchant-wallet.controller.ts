import { Body, Controller, Delete, Get, Header, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { STATEMENT_POLICY } from '../../accounting/reports/month-statement-page.js';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/parameters.js';
import { MerchantWalletDto } from './merchant.dto.js';
import {
  AlertDto,
  ConsoleEntryDto,
  MonthQueryDto,
  MovedDto,
  MoveDto,
  StatementPeriodDto,
  StatementQueryDto,
} from './merchant-wallet.dto.js';
import { MerchantWalletService } from './merchant-wallet.service.js';

const MOVES =
  'Asks for confirmation. If the merchant already has a movement with this reference and amount, no money moves, and the answer ' +
  'has the time of that movement; with another amount it is 409. 409 CHANGED_MEANWHILE if the available balance is not ' +
  '`expected_available`. An amount above `approval_above` is 403 APPROVAL_REQUIRED.';

const MONTH = { description: 'One line for each order, with times of Asia/Bangkok. The audit log records the export.' };

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
  @ConsoleRoute('statements.read', 'Movements of a merchant’s available balance, newest first', [ConsoleEntryDto])
  entries(@PathId('merchant') id: number, @Query() query: StatementQueryDto): Promise<Page<ConsoleEntryDto>> {
    return this.wallet.entries(id, query);
  }

  @Get('entries.csv')
  @ConsoleRoute('statements.read', 'The movements of a period as CSV, at most 1,000,000 lines', 'csv', {
    description:
      'UTF-8 with a byte order mark. The audit log records the export, with the period and the number of lines.',
  })
  export(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() query: StatementPeriodDto,
    @Res() response: Response,
  ): Promise<void> {
    return this.wallet.export(caller, id, query, response);
  }

  @Get('statement.html')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', STATEMENT_POLICY)
  @ConsoleRoute('statements.read', 'A month as a page to print on A4, in Thai and English', 'html', MONTH)
  page(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() query: MonthQueryDto,
  ): Promise<string> {
    return this.wallet.month(caller, id, query, 'html');
  }

  @Get('statement.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment')
  @ConsoleRoute('statements.read', 'The lines of that page as CSV', 'csv', MONTH)
  csv(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Query() query: MonthQueryDto): Promise<string> {
    return this.wallet.month(caller, id, query, 'csv');
  }

  @Post('credits')
  @ConsoleRoute('wallets.move', 'Credit a merchant’s wallet', MovedDto, { description: MOVES })
  credit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.wallet.move(caller, id, 'credit', body);
  }

  @Post('debits')
  @ConsoleRoute('wallets.move', 'Debit a merchant’s wallet', MovedDto, { description: MOVES })
  debit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.wallet.move(caller, id, 'debit', body);
  }

  @Put('alert')
  @ConsoleRoute(
    'alerts.set',
    'Set the available balance below which the merchant’s webhooks are notified',
    MerchantWalletDto,
    {
      description: 'Setting the alert sends nothing. A later movement that takes the balance below it sends an event.',
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
  @ConsoleRoute('alerts.set', 'Remove the alert of a merchant', MerchantWalletDto)
  removeAlert(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return this.wallet.setAlert(caller, id, null);
  }
}
