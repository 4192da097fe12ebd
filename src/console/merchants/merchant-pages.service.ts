import { Injectable } from '@nestjs/common';
import { formatBaht } from '../../core/money.js';
import {
  decodeCursor,
  encodeCursor,
  MAX_INTEGER,
  pageLimit,
  toPage,
  type Page,
} from '../../core/pagination.js';
import type { Merchant } from '../../merchants/merchant.entity.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import type { WalletEntry } from '../../wallet/entries.js';
import { StatementService } from '../../wallet/statement.service.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import { WalletService } from '../../wallet/wallet.service.js';
import type { Caller } from '../access/caller.js';
import { CONSOLE_LIMIT } from '../desk/order-queries.dto.js';
import type {
  ConsoleMerchantDto,
  MerchantsQueryDto,
  MerchantWalletDto,
  StatementQueryDto,
} from './merchant.dto.js';

/** Merchants, as the pages ask for them. */
@Injectable()
export class MerchantPages {
  constructor(
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletService,
    private readonly statements: StatementService,
  ) {}

  /** By their ids: merchants are few, and all of them are read. @throws BAD_REQUEST for a cursor that no page carried. */
  async list(
    caller: Caller,
    { q, status, limit, cursor }: MerchantsQueryDto,
  ): Promise<Page<ConsoleMerchantDto>> {
    const after = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const part = q?.toLowerCase();
    const found = (await this.merchants.list())
      .filter(({ id }) => id > after)
      .filter((merchant) => status === undefined || merchant.status === status)
      .filter(({ id, name }) => part === undefined || String(id) === q || name.toLowerCase().includes(part))
      .sort((one, other) => one.id - other.id);
    const wallets = caller.may('wallets.read') ? await this.wallets.list() : [];
    const walletOf = new Map(wallets.map((wallet) => [wallet.merchant_id, wallet]));
    return toPage(
      found,
      pageLimit({ limit }, CONSOLE_LIMIT),
      ({ id }) => encodeCursor(id),
      (merchant) => toConsoleMerchantDto(merchant, walletOf.get(merchant.id)),
    );
  }

  /** @throws NOT_FOUND */
  async show(caller: Caller, id: number): Promise<ConsoleMerchantDto> {
    const merchant = await this.merchants.get(id);
    return toConsoleMerchantDto(
      merchant,
      caller.may('wallets.read') ? await this.wallets.get(id) : undefined,
    );
  }

  /** @throws NOT_FOUND */
  async wallet(id: number): Promise<MerchantWalletDto> {
    return toMerchantWalletDto(await this.wallets.get(id));
  }

  /** Newest first. @throws NOT_FOUND; BAD_REQUEST for a cursor that no page carried. */
  async entries(id: number, { limit, cursor }: StatementQueryDto): Promise<Page<WalletEntry>> {
    await this.merchants.get(id);
    return this.statements.list(id, { cursor, limit: String(pageLimit({ limit }, CONSOLE_LIMIT)) });
  }
}

const toConsoleMerchantDto = (
  { id, name, status, created_at }: Merchant,
  wallet: Wallet | undefined,
): ConsoleMerchantDto => ({
  ...{ id, name, status, created_at: created_at.toISOString() },
  wallet: wallet ? toMerchantWalletDto(wallet) : null,
});

const toMerchantWalletDto = ({
  available,
  held,
  alert_below: alert,
  updated_at,
}: Wallet): MerchantWalletDto => ({
  available_amount: formatBaht(available),
  held_amount: formatBaht(held),
  alert_below: alert === null ? null : formatBaht(alert),
  is_low: alert !== null && available < alert,
  updated_at: updated_at.toISOString(),
});
