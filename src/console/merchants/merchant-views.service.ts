import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { present } from '../../core/invariant.js';
import { pick } from '../../core/members.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, pageLimit, toPage, type Page } from '../../core/pagination.js';
import type { Merchant, MerchantStatus } from '../../merchants/merchant.entity.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { MerchantStatsRepository, type MerchantToday } from '../../accounting/reports/merchant-stats.repository.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import { WalletService } from '../../wallet/wallet.service.js';
import { timezoneOf, type Caller } from '../access/caller.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { CONSOLE_LIMIT } from '../orders/order-queries.dto.js';
import type { ConsoleMerchantDto, MerchantDaysDto, MerchantsQueryDto, NewMerchantDto } from './merchant.dto.js';
import { isLow, toMerchantWalletDto } from './merchant-wallet.service.js';
import { valuesOf } from '../filters.js';

const DAYS = 30;

/** Merchants with their wallets and orders. */
@Injectable()
export class MerchantViewsService {
  constructor(
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletService,
    private readonly stats: MerchantStatsRepository,
    private readonly idempotency: IdempotencyService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Reads and filters all merchants, because they are few. @throws BAD_REQUEST for an invalid cursor. */
  async list(
    caller: Caller,
    { q, status, sandbox, low, limit, cursor }: MerchantsQueryDto,
  ): Promise<Page<ConsoleMerchantDto>> {
    const after = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const part = q?.toLowerCase();
    const statuses = valuesOf<MerchantStatus>(status);
    const wallets = caller.may('wallets.read') ? await this.wallets.list() : [];
    const walletOf = new Map(wallets.map((wallet) => [wallet.merchant_id, wallet]));
    const found = (await this.merchants.list())
      .filter(({ id }) => id > after)
      .filter((merchant) => statuses === undefined || statuses.includes(merchant.status))
      .filter((merchant) => sandbox === undefined || String(merchant.sandbox) === sandbox)
      .filter(({ id, name }) => part === undefined || String(id) === q || name.toLowerCase().includes(part))
      .filter(({ id }) => low === undefined || isLow(walletOf.get(id) ?? NO_WALLET));
    const page = toPage(found, pageLimit({ limit }, CONSOLE_LIMIT), ({ id }) => encodeCursor(id));
    return { ...page, data: await this.shown(caller, page.data, walletOf) };
  }

  async show(caller: Caller, id: number): Promise<ConsoleMerchantDto> {
    const merchant = await this.merchants.get(id);
    const wallets = caller.may('wallets.read') ? [[id, await this.wallets.get(id)] as const] : [];
    const [shown] = await this.shown(caller, [merchant], new Map(wallets));
    return present(shown, 'a merchant that was found is shown');
  }

  /** @throws BAD_REQUEST; CONFLICT for a key of another request. */
  create(caller: Caller, key: string | undefined, { name, sandbox }: NewMerchantDto): Promise<ConsoleMerchantDto> {
    return this.idempotency.run(caller, {
      action: 'merchant.create',
      key,
      request: { detail: { name, sandbox: sandbox ? true : null } },
      carryOut: async (by) => this.show(caller, (await this.merchants.create(name, by, { sandbox })).id),
      repeat: ({ merchant_id: id }) => this.show(caller, present(id, 'a merchant that was added has an id')),
    });
  }

  async setStatus(caller: Caller, id: number, status: MerchantStatus, reason: string): Promise<ConsoleMerchantDto> {
    await this.merchants.setStatus(id, status, caller.actor(reason));
    return this.show(caller, id);
  }

  async days(caller: Caller, id: number): Promise<MerchantDaysDto> {
    await this.merchants.get(id);
    return { data: await this.stats.days(id, timezoneOf(caller.session, this.config), DAYS) };
  }

  private async shown(
    caller: Caller,
    merchants: Merchant[],
    walletOf: ReadonlyMap<number, Wallet>,
  ): Promise<ConsoleMerchantDto[]> {
    const ids = merchants.map(({ id }) => id);
    const today = await this.stats.today(ids, timezoneOf(caller.session, this.config));
    return merchants.map((merchant) =>
      toConsoleMerchantDto(merchant, today.get(merchant.id), walletOf.get(merchant.id)),
    );
  }
}

const NO_WALLET = { available: 0n, alert_below: null };

const toConsoleMerchantDto = (
  merchant: Merchant,
  today: MerchantToday | undefined,
  wallet: Wallet | undefined,
): ConsoleMerchantDto => ({
  ...pick(merchant, 'id', 'name', 'status', 'sandbox', 'weight', 'created_at'),
  today: { orders: today?.orders ?? 0, failed: today?.failed ?? 0 },
  last_order_at: today?.last_order_at ?? null,
  wallet: wallet ? toMerchantWalletDto(wallet) : null,
});
