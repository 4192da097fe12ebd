import { Body, Controller, Delete, Get, Inject, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { MerchantStatsRepository } from '../../accounting/reports/merchant-stats.repository.js';
import { CONFIG, type Config } from '../../core/config.js';
import { present } from '../../core/invariant.js';
import { decodeCursor, encodeCursor, MAX_INTEGER, toPage, type Page } from '../../core/pagination.js';
import type { Merchant, MerchantStatus } from '../../merchants/merchant.entity.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import type { Wallet } from '../../wallet/wallet.entity.js';
import { WalletService } from '../../wallet/wallet.service.js';
import { CurrentCaller, timezoneOf, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { valuesOf } from '../filters.js';
import { pageOf } from '../lists.js';
import { ReasonDto } from '../reason.dto.js';
import { ConsoleMerchantDto, MerchantDaysDto, MerchantsQueryDto, NewMerchantDto } from './merchant.dto.js';
import { isLow, toConsoleMerchantDto } from './merchant.mapper.js';

const DAYS = 30;
const NO_WALLET = { available: 0n, alert_below: null };

/** Merchants with their wallets and orders. */
@ApiTags('Merchants')
@Controller('api/merchants')
export class ConsoleMerchantsController {
  constructor(
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletService,
    private readonly stats: MerchantStatsRepository,
    private readonly idempotency: IdempotencyService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @ConsoleRoute('merchants.read', 'Merchants, sorted by id', [ConsoleMerchantDto])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { q, status, sandbox, low, ...query }: MerchantsQueryDto,
  ): Promise<Page<ConsoleMerchantDto>> {
    const { limit, cursor } = pageOf(query);
    const after = Number(decodeCursor(cursor, [MAX_INTEGER])?.[0] ?? 0n);
    const part = q?.toLowerCase();
    const statuses = valuesOf<MerchantStatus>(status);
    const wallets = caller.may('wallets.read') ? await this.wallets.list() : [];
    const walletOf = new Map<number, Wallet>(wallets.map((wallet) => [wallet.merchant_id, wallet]));
    // Merchants are few, so all are read and filtered here.
    const found = (await this.merchants.list())
      .filter(({ id }) => id > after)
      .filter((merchant) => statuses === undefined || statuses.includes(merchant.status))
      .filter((merchant) => sandbox === undefined || String(merchant.sandbox) === sandbox)
      .filter(({ id, name }) => part === undefined || String(id) === q || name.toLowerCase().includes(part))
      .filter(({ id }) => low === undefined || isLow(walletOf.get(id) ?? NO_WALLET));
    const page = toPage(found, limit, ({ id }) => encodeCursor(id));
    return { ...page, data: await this.shown(caller, page.data, walletOf) };
  }

  @Post()
  @ConsoleRoute('merchants.create', 'Add a merchant with an empty wallet', ConsoleMerchantDto, {
    description: 'A repeated request with the same Idempotency-Key returns the same merchant.',
    status: 201,
  })
  create(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() { name, sandbox }: NewMerchantDto,
  ): Promise<ConsoleMerchantDto> {
    return this.idempotency.run(caller, {
      action: 'merchant.create',
      key,
      request: { detail: { name, sandbox: sandbox ? true : null } },
      carryOut: async (by) => this.show(caller, (await this.merchants.create(name, by, { sandbox })).id),
      answerFrom: ({ merchant_id: id }) => this.show(caller, present(id, 'a merchant that was added has an id')),
    });
  }

  @Get(':id')
  @ConsoleRoute('merchants.read', 'A merchant', ConsoleMerchantDto)
  async show(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<ConsoleMerchantDto> {
    const merchant = await this.merchants.get(id);
    const wallets = caller.may('wallets.read') ? [[id, await this.wallets.get(id)] as const] : [];
    const [shown] = await this.shown(caller, [merchant], new Map(wallets));
    return present(shown, 'a merchant that was found is shown');
  }

  @Get(':id/days')
  @ConsoleRoute('merchants.read', 'A merchant’s orders of each of the last thirty days', MerchantDaysDto, {
    description: 'Days begin in the operator’s time zone.',
  })
  async days(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<MerchantDaysDto> {
    await this.merchants.get(id);
    return { data: await this.stats.days(id, timezoneOf(caller.session, this.config), DAYS) };
  }

  @Post(':id/suspension')
  @ConsoleRoute('merchants.suspend', 'Refuse a merchant’s requests, within 5 seconds', ConsoleMerchantDto, {
    description: 'Its open orders are still completed. Doing it twice changes nothing.',
  })
  async suspend(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Body() { reason }: ReasonDto,
  ): Promise<ConsoleMerchantDto> {
    await this.merchants.setStatus(id, 'suspended', caller.actor(reason));
    return this.show(caller, id);
  }

  @Delete(':id/suspension')
  @ConsoleRoute(
    'merchants.suspend',
    'Accept a suspended merchant’s requests again, within 5 seconds',
    ConsoleMerchantDto,
  )
  async resume(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() { reason }: ReasonDto,
  ): Promise<ConsoleMerchantDto> {
    await this.merchants.setStatus(id, 'active', caller.actor(reason));
    return this.show(caller, id);
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
