import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { SupplierCode } from '../access/parameters.js';
import { OptionalReasonDto, ReasonDto } from '../reason.dto.js';
import { SupplierChangesService } from './supplier-changes.service.js';
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

@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSupplierSettingsController {
  constructor(private readonly changes: SupplierChangesService) {}

  @Get('adapters')
  @ConsoleRoute('suppliers.read', 'The adapters, with the credentials and options of each', AdaptersDto)
  adapters(): AdaptersDto {
    return this.changes.adapters();
  }

  @Put(':code')
  @ConsoleRoute('suppliers.set', 'Add a supplier, or replace its settings', SupplierDetailDto, {
    description:
      'Asks for confirmation. Workers use the new settings within 5 seconds. 409 if the supplier has changed since ' +
      '`expected_updated_at`; and, without `leave_units`, if the address or account changes while units are open at the ' +
      'earlier one.',
  })
  set(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() body: SetSupplierDto,
  ): Promise<SupplierDetailDto> {
    return this.changes.set(caller, code, body);
  }

  @Delete(':code')
  @ConsoleRoute(
    'suppliers.set',
    'Remove a supplier that has no offer, order or reversal, with its credentials',
    RemovedSupplierDto,
    { description: 'Asks for confirmation.' },
  )
  remove(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() { reason }: OptionalReasonDto,
  ): Promise<RemovedSupplierDto> {
    return this.changes.remove(caller, code, reason);
  }
}

@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSuppliersController {
  constructor(
    private readonly suppliers: SupplierViewsService,
    private readonly changes: SupplierChangesService,
  ) {}

  @Get()
  @ConsoleRoute('suppliers.read', 'All suppliers in the order of their codes, with their states', [ListedSupplierDto])
  list(): Promise<Page<ListedSupplierDto>> {
    return this.suppliers.list();
  }

  @Get(':code')
  @ConsoleRoute('suppliers.read', 'A supplier', SupplierDetailDto)
  show(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.suppliers.show(caller, code);
  }

  @Get(':code/balances')
  @ConsoleRoute(
    'suppliers.read',
    'The balances that a supplier reported since a moment of the last 31 days',
    BalanceReadingsDto,
  )
  balances(@SupplierCode() code: string, @Query() { from }: BalancesQueryDto): Promise<BalanceReadingsDto> {
    return this.suppliers.listBalances(code, from);
  }

  @Get(':code/products')
  @ConsoleRoute('suppliers.read', 'A supplier’s catalogue as the latest sync applied it', [SupplierProductDto])
  products(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() query: SupplierProductsQueryDto,
  ): Promise<Page<SupplierProductDto>> {
    return this.suppliers.listProducts(caller, code, query);
  }

  @Get(':code/calls')
  @ConsoleRoute(
    'suppliers.read',
    'The latest calls to a supplier that decided nothing about their unit',
    UndecidedCallsDto,
    { description: 'Without calls to which the supplier answered that it still processes the unit.' },
  )
  calls(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<UndecidedCallsDto> {
    return this.suppliers.listUndecided(caller, code);
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
  pause(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() { reason }: ReasonDto,
  ): Promise<SupplierDetailDto> {
    return this.changes.pause(caller, code, reason);
  }

  @Delete(':code/pause')
  @ConsoleRoute('suppliers.pause', 'Resume a supplier, whatever the reason of its pause', SupplierDetailDto)
  resume(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.changes.resume(caller, code);
  }

  @Post(':code/test')
  @ConsoleRoute(
    'suppliers.pause',
    'Test a supplier’s settings: read our balance and the supplier’s catalogue',
    SupplierTestDto,
    {
      description:
        'Buys nothing, and changes nothing but the log. 429 for a second test of the supplier within ten seconds, by any operator.',
    },
  )
  test(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierTestDto> {
    return this.changes.test(caller, code);
  }

  @Post(':code/sync')
  @ConsoleRoute(
    'suppliers.sync',
    'Read a supplier’s catalogue, and apply it or only show what that would change',
    SyncDoneDto,
  )
  sync(@CurrentCaller() caller: Caller, @SupplierCode() code: string, @Body() body: SyncDto): Promise<SyncDoneDto> {
    return this.changes.sync(caller, code, body);
  }
}
