import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { SupplierCode } from '../access/parameters.js';
import { SupplierChangesService } from './supplier-changes.service.js';
import { SupplierViewsService } from './supplier-views.service.js';
import {
  BalanceReadingsDto,
  BalancesQueryDto,
  ListedSupplierDto,
  PauseDto,
  SupplierDetailDto,
  SupplierProductDto,
  SupplierProductsQueryDto,
  SupplierTestDto,
  SyncDoneDto,
  SyncDto,
  UndecidedCallsDto,
} from './supplier.dto.js';
import { AdaptersDto, RemovedSupplierDto, RemoveSupplierDto, SetSupplierDto } from './supplier-settings.dto.js';

@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSupplierSettingsController {
  constructor(private readonly changes: SupplierChangesService) {}

  @Get('adapters')
  @ConsoleRoute('suppliers.read', 'What suppliers can be: the credentials and options of each adapter', AdaptersDto)
  adapters(): AdaptersDto {
    return this.changes.adapters();
  }

  @Put(':code')
  @ConsoleRoute('suppliers.set', 'Add a supplier, or replace its settings', SupplierDetailDto, {
    description:
      'Asks for confirmation. Workers use them within 5 seconds. 409 where it was changed since `expected_updated_at`; ' +
      'and, unless `leave_units` says otherwise, where units are open at the address or account before.',
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
    @Query() { reason }: RemoveSupplierDto,
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
  @ConsoleRoute('suppliers.read', 'All suppliers, by their codes, and how they do', [ListedSupplierDto])
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
    'Our balance as the supplier reported it, over a time of the last 31 days',
    BalanceReadingsDto,
  )
  balances(@SupplierCode() code: string, @Query() { from }: BalancesQueryDto): Promise<BalanceReadingsDto> {
    return this.suppliers.listBalances(code, from);
  }

  @Get(':code/products')
  @ConsoleRoute('suppliers.read', 'What it sells, as it was last read', [SupplierProductDto])
  products(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() query: SupplierProductsQueryDto,
  ): Promise<Page<SupplierProductDto>> {
    return this.suppliers.listProducts(caller, code, query);
  }

  @Get(':code/calls')
  @ConsoleRoute('suppliers.read', 'The latest calls to it that decided nothing about their unit', UndecidedCallsDto, {
    description: 'What it is still processing is not among them.',
  })
  calls(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<UndecidedCallsDto> {
    return this.suppliers.listUndecided(caller, code);
  }

  @Post(':code/pause')
  @ConsoleRoute('suppliers.pause', 'Send it nothing more, until it is resumed', SupplierDetailDto, {
    description: 'Units in doubt are asked about all the same; others go to the next offer, or wait.',
  })
  pause(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() body: PauseDto,
  ): Promise<SupplierDetailDto> {
    return this.changes.pause(caller, code, body);
  }

  @Delete(':code/pause')
  @ConsoleRoute('suppliers.pause', 'End its pause, whatever it is paused for', SupplierDetailDto)
  resume(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.changes.resume(caller, code);
  }

  @Post(':code/test')
  @ConsoleRoute(
    'suppliers.pause',
    'Ask it for our balance and its catalogue, to see whether it can be used',
    SupplierTestDto,
    {
      description: 'Nothing is bought, and nothing of ours changes. Once in ten seconds, over all operators; then 429.',
    },
  )
  test(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierTestDto> {
    return this.changes.test(caller, code);
  }

  @Post(':code/sync')
  @ConsoleRoute('suppliers.sync', 'Read its catalogue, and take it over or tell what that would change', SyncDoneDto)
  sync(@CurrentCaller() caller: Caller, @SupplierCode() code: string, @Body() body: SyncDto): Promise<SyncDoneDto> {
    return this.changes.sync(caller, code, body);
  }
}
