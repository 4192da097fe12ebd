import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { answerCsv, BYTE_ORDER_MARK, membersOf } from '../../core/http/csv-answer.js';
import { CONFIG, type Config } from '../../core/config.js';
import { pick } from '../../core/members.js';
import { checkedPeriod } from '../../core/moments.js';
import { bahtOrNull, checkedBaht, formatBaht, optionalBaht } from '../../core/money.js';
import type { Page } from '../../core/pagination.js';
import { Database } from '../../database/database.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { statementCsv, statementPage } from '../../accounting/reports/month-statement-page.js';
import { toMonthStatement } from '../../accounting/reports/month-statement.js';
import { AccountStatementService, type StatementRow } from '../../accounting/reports/statement.service.js';
import { toEntry } from '../../wallet/entries.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import { WalletService } from '../../wallet/wallet.service.js';
import type { Caller } from '../access/caller.js';
import { assertNeedsNoApproval } from '../access/permission.js';
import { logExport } from '../export-log.js';
import { pageOf } from '../lists.js';
import type { MerchantWalletDto } from './merchant.dto.js';
import type {
  AlertDto,
  MonthQueryDto,
  ConsoleEntryDto,
  MovedDto,
  MoveDto,
  StatementPeriodDto,
  StatementQueryDto,
} from './merchant-wallet.dto.js';

const COLUMNS = membersOf<ConsoleEntryDto>(
  'id created_at kind amount available_amount_after reference_id order_number note operator approved_by',
);

/** A merchant's wallet: balances, entries, credits and debits. */
@Injectable()
export class MerchantWalletService {
  constructor(
    private readonly database: Database,
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletService,
    private readonly statements: AccountStatementService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async show(id: number): Promise<MerchantWalletDto> {
    return toMerchantWalletDto(await this.wallets.get(id));
  }

  async entries(id: number, { kind, ...page }: StatementQueryDto): Promise<Page<ConsoleEntryDto>> {
    await this.merchants.get(id);
    return this.statements.latest(id, { isFunding: kind === 'funding', ...pageOf(page) }, toConsoleEntryDto);
  }

  /** @throws NOT_FOUND; BAD_REQUEST for a period that does not end after its beginning. */
  async export(caller: Caller, id: number, given: StatementPeriodDto, response: Response): Promise<void> {
    await this.merchants.get(id);
    // Read from the primary, so that the file has the credit that the operator has just made.
    const { pages } = await this.statements.read(id, checkedPeriod(given), this.database);
    await answerCsv(response, `statement-${id}.csv`, COLUMNS, toLines(pages('newest first')), (lines) =>
      logExport(this.database, caller, { list: 'entries', filter: given, lines, merchantId: id }),
    );
  }

  /** @throws NOT_FOUND; BAD_REQUEST for a month that has not begun; CONFLICT for a month with more lines than can be printed. */
  async month(caller: Caller, id: number, { month }: MonthQueryDto, format: 'html' | 'csv'): Promise<string> {
    const merchant = await this.merchants.get(id);
    const account = await this.statements.read(id, await this.statements.month(month), this.database);
    const statement = await toMonthStatement(account);
    const { length: lines } = statement.lines;
    await logExport(this.database, caller, { list: 'statement', filter: { month, format }, lines, merchantId: id });
    if (format === 'csv') return BYTE_ORDER_MARK + statementCsv(statement);
    return statementPage({ merchant, month, statement });
  }

  /**
   * Credits or debits the wallet. Needs confirmation.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN, with APPROVAL_REQUIRED for more than CONSOLE_APPROVAL_ABOVE; CONFLICT,
   * with CHANGED_MEANWHILE for another balance than expected.
   */
  async move(
    caller: Caller,
    id: number,
    kind: 'credit' | 'debit',
    { amount, reference, note, expected_available: expected }: MoveDto,
  ): Promise<MovedDto> {
    assertNeedsNoApproval(checkedBaht(amount), this.config);
    const by = caller.confirmedActor();
    const { wallet, at, repeats } = await this.wallets.fund(kind, {
      ...by,
      merchantId: id,
      amount: checkedBaht(amount),
      reference,
      note,
      expectedAvailable: optionalBaht(expected),
    });
    return {
      moved: repeats === null,
      at,
      operator: repeats === null ? by.operator : repeats.operator,
      wallet: toMerchantWalletDto(wallet),
    };
  }

  /** @param given null removes the alert. */
  async setAlert(caller: Caller, id: number, given: AlertDto | null): Promise<MerchantWalletDto> {
    const below = given && checkedBaht(given.below);
    return toMerchantWalletDto(await this.wallets.setAlert(id, below, caller.actor()));
  }
}

async function* toLines(pages: AsyncIterable<StatementRow[]>): AsyncGenerator<ConsoleEntryDto[]> {
  for await (const page of pages) yield page.map(toConsoleEntryDto);
}

export const toMerchantWalletDto = ({
  available,
  held,
  alert_below: alert,
  updated_at,
}: Wallet): MerchantWalletDto => ({
  available_amount: formatBaht(available),
  held_amount: formatBaht(held),
  alert_below: bahtOrNull(alert),
  is_low: isLow({ available, alert_below: alert }),
  updated_at,
});

export const isLow = ({ available, alert_below: alert }: Pick<Wallet, 'available' | 'alert_below'>): boolean =>
  alert !== null && available < alert;

const toConsoleEntryDto = (row: StatementRow): ConsoleEntryDto => ({
  ...toEntry(row),
  ...pick(row, 'note', 'operator', 'approved_by'),
});
