import { Body, Controller, Delete, Get, Header, Inject, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { STATEMENT_POLICY, statementCsv, statementPage } from '../../accounting/reports/month-statement-page.js';
import { toMonthStatement } from '../../accounting/reports/month-statement.js';
import { AccountStatementService, type StatementRow } from '../../accounting/reports/statement.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { answerCsv, BYTE_ORDER_MARK, membersOf } from '../../core/http/csv-answer.js';
import { pick } from '../../core/members.js';
import { checkedPeriod } from '../../core/moments.js';
import { checkedBaht, optionalBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { toEntry } from '../../wallet/entries.js';
import { WalletService } from '../../wallet/wallet.service.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/parameters.js';
import { assertNeedsNoApproval } from '../access/permission.js';
import { logExport } from '../export-log.js';
import { pageOf } from '../lists.js';
import { MerchantWalletDto } from './merchant.dto.js';
import { toMerchantWalletDto } from './merchant.mapper.js';
import {
  AlertDto,
  ConsoleEntryDto,
  MonthQueryDto,
  MovedDto,
  MoveDto,
  StatementPeriodDto,
  StatementQueryDto,
} from './merchant-wallet.dto.js';

const COLUMNS = membersOf<ConsoleEntryDto>(
  'id created_at kind amount available_amount_after reference_id order_number note operator approved_by',
);

const MOVES =
  'Asks for confirmation. If the merchant already has a movement with this reference and amount, no money moves, and the answer ' +
  'has the time of that movement; with another amount it is 409. 409 CHANGED_MEANWHILE if the available balance is not ' +
  '`expected_available`. An amount above `approval_above` is 403 APPROVAL_REQUIRED.';

const MONTH = {
  description:
    'One line for each order, deposit and withdrawal, with times of Asia/Bangkok. The audit log records the export.',
};

/** A merchant's wallet: balances, entries, credits and debits. */
@ApiTags('Merchants')
@Controller('api/merchants/:id')
export class ConsoleWalletController {
  constructor(
    private readonly database: Database,
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletService,
    private readonly statements: AccountStatementService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('wallet')
  @ConsoleRoute('wallets.read', 'A merchant’s balances', MerchantWalletDto)
  async show(@PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return toMerchantWalletDto(await this.wallets.get(id));
  }

  @Get('entries')
  @ConsoleRoute('statements.read', 'Movements of a merchant’s available balance, newest first', [ConsoleEntryDto])
  async entries(
    @PathId('merchant') id: number,
    @Query() { kind, ...query }: StatementQueryDto,
  ): Promise<Page<ConsoleEntryDto>> {
    await this.merchants.get(id);
    return this.statements.latest(
      id,
      { creditsAndDebitsOnly: kind === 'funding', ...pageOf(query) },
      toConsoleEntryDto,
    );
  }

  @Get('entries.csv')
  @ConsoleRoute('statements.read', 'The movements of a period as CSV, at most 1,000,000 lines', 'csv', {
    description:
      'UTF-8 with a byte order mark. The audit log records the export, with the period and the number of lines.',
  })
  async export(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() filter: StatementPeriodDto,
    @Res() response: Response,
  ): Promise<void> {
    await this.merchants.get(id);
    // Read from the primary, so that the file has the credit that the operator has just made.
    const { pages } = await this.statements.read(id, checkedPeriod(filter), this.database);
    await answerCsv(response, `statement-${id}.csv`, COLUMNS, toLines(pages('newest first')), (lines) =>
      logExport(this.database, caller, { list: 'entries', filter, lines, merchantId: id }),
    );
  }

  @Get('statement.html')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', STATEMENT_POLICY)
  @ConsoleRoute('statements.read', 'A month as a page to print on A4, in Thai and English', 'html', MONTH)
  page(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() { month }: MonthQueryDto,
  ): Promise<string> {
    return this.month(caller, id, month, 'html');
  }

  @Get('statement.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  @Header('Content-Disposition', 'attachment')
  @ConsoleRoute('statements.read', 'The lines of that page as CSV', 'csv', MONTH)
  csv(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() { month }: MonthQueryDto,
  ): Promise<string> {
    return this.month(caller, id, month, 'csv');
  }

  @Post('credits')
  @ConsoleRoute('wallets.move', 'Credit a merchant’s wallet', MovedDto, { description: MOVES })
  credit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.move(caller, id, 'credit', body);
  }

  @Post('debits')
  @ConsoleRoute('wallets.move', 'Debit a merchant’s wallet', MovedDto, { description: MOVES })
  debit(@CurrentCaller() caller: Caller, @PathId('merchant') id: number, @Body() body: MoveDto): Promise<MovedDto> {
    return this.move(caller, id, 'debit', body);
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
  async setAlert(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Body() { below }: AlertDto,
  ): Promise<MerchantWalletDto> {
    return toMerchantWalletDto(await this.wallets.setAlert(id, checkedBaht(below), caller.actor()));
  }

  @Delete('alert')
  @ConsoleRoute('alerts.set', 'Remove the alert of a merchant', MerchantWalletDto)
  async removeAlert(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<MerchantWalletDto> {
    return toMerchantWalletDto(await this.wallets.setAlert(id, null, caller.actor()));
  }

  private async month(caller: Caller, id: number, month: string, format: 'html' | 'csv'): Promise<string> {
    const merchant = await this.merchants.get(id);
    const account = await this.statements.read(id, await this.statements.month(month), this.database);
    const statement = await toMonthStatement(account);
    const { length: lines } = statement.lines;
    await logExport(this.database, caller, { list: 'statement', filter: { month, format }, lines, merchantId: id });
    if (format === 'csv') return BYTE_ORDER_MARK + statementCsv(statement);
    return statementPage({ merchant, month, statement });
  }

  private async move(
    caller: Caller,
    merchantId: number,
    kind: 'credit' | 'debit',
    { amount: text, reference, note, expected_available: expected }: MoveDto,
  ): Promise<MovedDto> {
    const amount = checkedBaht(text);
    assertNeedsNoApproval(amount, this.config);
    const by = caller.confirmedActor();
    const movement = { ...by, merchantId, amount, reference, note, expectedAvailable: optionalBaht(expected) };
    const { wallet, at, repeats } = await this.wallets.move(kind, movement);
    return {
      moved: repeats === null,
      at,
      operator: repeats === null ? by.operator : repeats.operator,
      wallet: toMerchantWalletDto(wallet),
    };
  }
}

async function* toLines(pages: AsyncIterable<StatementRow[]>): AsyncGenerator<ConsoleEntryDto[]> {
  for await (const page of pages) yield page.map(toConsoleEntryDto);
}

const toConsoleEntryDto = (row: StatementRow): ConsoleEntryDto => ({
  ...toEntry(row),
  ...pick(row, 'note', 'operator', 'approved_by'),
});
