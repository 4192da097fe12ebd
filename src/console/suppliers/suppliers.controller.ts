import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { recordAction } from '../../audit-log/audit-log.js';
import { SupplierSyncService } from '../../catalog/supplier-sync.service.js';
import { formatMicros } from '../../core/cost-money.js';
import { refusal } from '../../core/errors.js';
import { withoutUndefined } from '../../core/members.js';
import { checkedMoment } from '../../core/moments.js';
import { sliceOf, type Page } from '../../core/pagination.js';
import { counted } from '../../core/text.js';
import { Database } from '../../database/database.js';
import { ADAPTERS } from '../../suppliers/adapters.js';
import { SupplierBalancesService } from '../../suppliers/supplier-balances.service.js';
import { SupplierCheckService } from '../../suppliers/supplier-check.service.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import type { SupplierSettings } from '../../suppliers/supplier-settings.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { OrderSupportService } from '../../support/order-support.service.js';
import { SEARCHED_CALLS, UndecidedCallsRepository } from '../../support/undecided-calls.repository.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { SupplierCode } from '../access/parameters.js';
import { OptionalReasonDto, ReasonDto } from '../reason.dto.js';
import { SupplierViewsService } from './supplier-views.service.js';
import {
  BalanceReadingsDto,
  BalancesQueryDto,
  ListedSupplierDto,
  SupplierDetailDto,
  SupplierProductDto,
  SupplierProductsQueryDto,
  SupplierTestDto,
  SyncDoneDto,
  SyncDto,
  UndecidedCallsDto,
} from './supplier.dto.js';
import { AdaptersDto, RemovedSupplierDto, SetSupplierDto } from './supplier-settings.dto.js';
import {
  toAdapterDto,
  toCheckDto,
  toProductDto,
  toSettings,
  toSyncDto,
  toUndecidedCallDto,
} from './supplier.mapper.js';

const PRODUCTS_PER_PAGE = 100;

/** The settings of suppliers. Operators confirm changes of settings, because these decide where money goes. */
@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSupplierSettingsController {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly views: SupplierViewsService,
  ) {}

  @Get('adapters')
  @ConsoleRoute('suppliers.read', 'The adapters, with the credentials and options of each', AdaptersDto)
  adapters(): AdaptersDto {
    return { data: ADAPTERS.map(({ description }) => toAdapterDto(description)) };
  }

  @Put(':code')
  @ConsoleRoute('suppliers.set', 'Add a supplier, or replace its settings', SupplierDetailDto, {
    description:
      'Asks for confirmation. Workers use the new settings within 5 seconds. 409 if the supplier has changed since ' +
      '`expected_updated_at`; and, without `leave_units`, if the address or account changes while units are open at the ' +
      'earlier one.',
  })
  async set(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() body: SetSupplierDto,
  ): Promise<SupplierDetailDto> {
    const { expected_updated_at: at, leave_units: mayLeaveUnits = false, reason } = body;
    const by = caller.confirmedActor(reason);
    const settings = toSettings(code, body);
    this.suppliers.assertTiming(body.timeout_ms);
    if (!mayLeaveUnits) await this.assertNoneLeftBehind(settings);
    const updatedAt = at ? new Date(at) : null;
    await this.suppliers.set(settings, by, { updatedAt, secretsStayAtHost: true });
    return this.views.show(caller, code);
  }

  @Delete(':code')
  @ConsoleRoute(
    'suppliers.set',
    'Remove a supplier that has no offer, order or discrepancy, with its credentials',
    RemovedSupplierDto,
    { description: 'Asks for confirmation.' },
  )
  async remove(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() { reason }: OptionalReasonDto,
  ): Promise<RemovedSupplierDto> {
    await this.suppliers.remove(code, caller.confirmedActor(reason));
    return { code };
  }

  private async assertNoneLeftBehind(settings: SupplierSettings): Promise<void> {
    const units = await this.suppliers.unitsLeftBehind(settings);
    if (!units || units.open === 0) return;
    const message =
      `${settings.code} has ${counted(units.open, 'open unit')}, ${units.inDoubt} in doubt: units in doubt are not sent ` +
      'again to the new address or account. They go to review unless the supplier knows them there';
    throw refusal('CONFLICT', 'UNITS_LEFT_BEHIND', 'leave_units', message);
  }
}

/** Suppliers with their state, balances, catalogues and calls. */
@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSuppliersController {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly views: SupplierViewsService,
    private readonly reported: SupplierBalancesService,
    private readonly catalogues: SupplierSyncService,
    private readonly undecided: UndecidedCallsRepository,
    private readonly orders: OrderSupportService,
    private readonly checks: SupplierCheckService,
    private readonly queries: SupplierQueriesService,
    private readonly database: Database,
  ) {}

  @Get()
  @ConsoleRoute('suppliers.read', 'All suppliers in the order of their codes, with their states', [ListedSupplierDto])
  list(): Promise<Page<ListedSupplierDto>> {
    return this.views.list();
  }

  @Get(':code')
  @ConsoleRoute('suppliers.read', 'A supplier', SupplierDetailDto)
  show(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.views.show(caller, code);
  }

  @Get(':code/balances')
  @ConsoleRoute(
    'suppliers.read',
    'The balances that a supplier reported since a moment of the last 31 days',
    BalanceReadingsDto,
  )
  async balances(@SupplierCode() code: string, @Query() { from }: BalancesQueryDto): Promise<BalanceReadingsDto> {
    const readings = await this.reported.listReported(await this.suppliers.getByCode(code), checkedMoment(from));
    return {
      data: readings.map(({ told_at, micros, currency }) => ({
        at: told_at.toISOString(),
        amount: formatMicros(micros),
        currency,
      })),
    };
  }

  @Get(':code/products')
  @ConsoleRoute('suppliers.read', 'A supplier’s catalogue as the latest sync applied it', [SupplierProductDto])
  async products(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() { q, unmapped, cursor }: SupplierProductsQueryDto,
  ): Promise<Page<SupplierProductDto>> {
    const filter = { ...withoutUndefined({ match: q }), unmapped: unmapped === 'true' };
    const page = sliceOf(await this.catalogues.list(code, filter), cursor, PRODUCTS_PER_PAGE);
    return { ...page, data: page.data.map((item) => toProductDto(item, caller.may('costs.read'))) };
  }

  @Get(':code/calls')
  @ConsoleRoute(
    'suppliers.read',
    'The latest calls to a supplier that decided nothing about their unit',
    UndecidedCallsDto,
    { description: 'Without calls to which the supplier answered that it still processes the unit.' },
  )
  async calls(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<UndecidedCallsDto> {
    const { id } = await this.suppliers.getByCode(code);
    const calls = await this.undecided.latest(id);
    const masks = await this.orders.masks(calls, caller);
    return { data: calls.map((call) => toUndecidedCallDto(call, masks(call))), among: SEARCHED_CALLS };
  }

  @Post(':code/pause')
  @ConsoleRoute(
    'suppliers.pause',
    'Pause a supplier: workers buy nothing there until it is resumed',
    SupplierDetailDto,
    {
      description: 'Workers still inquire about units in doubt. Other units go to the next offer, or wait.',
    },
  )
  async pause(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() { reason }: ReasonDto,
  ): Promise<SupplierDetailDto> {
    await this.suppliers.pause(code, caller.actor(reason));
    return this.views.show(caller, code);
  }

  @Delete(':code/pause')
  @ConsoleRoute('suppliers.pause', 'Resume a supplier, whatever the reason of its pause', SupplierDetailDto)
  async resume(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    await this.suppliers.resume(code, caller.actor());
    return this.views.show(caller, code);
  }

  @Post(':code/test')
  @ConsoleRoute(
    'suppliers.pause',
    'Test a supplier’s settings: read our balance and the supplier’s catalogue',
    SupplierTestDto,
    {
      description:
        'Buys nothing, and writes only to the audit log. 429 for a second test of the supplier within ten seconds, by any operator.',
    },
  )
  async test(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierTestDto> {
    const supplier = await this.suppliers.getByCode(code);
    const checks = (await this.queries.run('test', code, () => this.checks.check(supplier))).map(toCheckDto);
    const ok = checks.every((each) => each.ok);
    await this.database.transaction((tx) =>
      recordAction(tx, caller.actor(), { action: 'supplier.test', detail: { code, ok } }),
    );
    return { ok, checks };
  }

  @Post(':code/sync')
  @ConsoleRoute('suppliers.sync', 'Read a supplier’s catalogue, and apply it or only show its changes', SyncDoneDto)
  async sync(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() { dry_run: dryRun, force = false, accept, at_least: atLeast }: SyncDto,
  ): Promise<SyncDoneDto> {
    return toSyncDto(await this.catalogues.sync(code, { dryRun, force, accept, atLeast }, caller.actor()));
  }
}
