import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { SupplierCode } from '../access/path-ids.js';
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
  @ConsoleRoute('suppliers.read', {
    summary: 'What suppliers can be: the credentials and options of each adapter',
    answer: { type: AdaptersDto },
  })
  adapters(): AdaptersDto {
    return this.changes.adapters();
  }

  @Put(':code')
  @ConsoleRoute('suppliers.set', {
    summary: 'Add a supplier, or replace its settings',
    description:
      'Asks for confirmation. Workers use them within 5 seconds. 409 where it was changed since `expected_updated_at`; ' +
      'and, unless `leave_units` says otherwise, where units are open at the address or account before.',
    answer: { type: SupplierDetailDto },
  })
  set(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() body: SetSupplierDto,
  ): Promise<SupplierDetailDto> {
    return this.changes.set(caller, code, body);
  }

  @Delete(':code')
  @ConsoleRoute('suppliers.set', {
    summary: 'Remove a supplier that has no offer, order or reversal, with its credentials',
    description: 'Asks for confirmation.',
    answer: { type: RemovedSupplierDto },
  })
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
  @ConsoleRoute('suppliers.read', {
    summary: 'All suppliers, by their codes, and how they do',
    answer: { pageOf: ListedSupplierDto },
  })
  list(): Promise<Page<ListedSupplierDto>> {
    return this.suppliers.list();
  }

  @Get(':code')
  @ConsoleRoute('suppliers.read', { summary: 'A supplier', answer: { type: SupplierDetailDto } })
  show(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.suppliers.show(caller, code);
  }

  @Get(':code/balances')
  @ConsoleRoute('suppliers.read', {
    summary: 'Our balance as the supplier reported it, over a time of the last 31 days',
    answer: { type: BalanceReadingsDto },
  })
  balances(@SupplierCode() code: string, @Query() { from }: BalancesQueryDto): Promise<BalanceReadingsDto> {
    return this.suppliers.listBalances(code, from);
  }

  @Get(':code/products')
  @ConsoleRoute('suppliers.read', {
    summary: 'What it sells, as it was last read',
    answer: { pageOf: SupplierProductDto },
  })
  products(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Query() query: SupplierProductsQueryDto,
  ): Promise<Page<SupplierProductDto>> {
    return this.suppliers.listProducts(caller, code, query);
  }

  @Get(':code/calls')
  @ConsoleRoute('suppliers.read', {
    summary: 'The latest calls to it that decided nothing about their unit',
    description: 'What it is still processing is not among them.',
    answer: { type: UndecidedCallsDto },
  })
  calls(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<UndecidedCallsDto> {
    return this.suppliers.listUndecided(caller, code);
  }

  @Post(':code/pause')
  @ConsoleRoute('suppliers.pause', {
    summary: 'Send it nothing more, until it is resumed',
    description: 'Units in doubt are asked about all the same; others go to the next offer, or wait.',
    answer: { type: SupplierDetailDto },
  })
  pause(
    @CurrentCaller() caller: Caller,
    @SupplierCode() code: string,
    @Body() body: PauseDto,
  ): Promise<SupplierDetailDto> {
    return this.changes.pause(caller, code, body);
  }

  @Delete(':code/pause')
  @ConsoleRoute('suppliers.pause', {
    summary: 'End its pause, whatever it is paused for',
    answer: { type: SupplierDetailDto },
  })
  resume(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierDetailDto> {
    return this.changes.resume(caller, code);
  }

  @Post(':code/test')
  @ConsoleRoute('suppliers.pause', {
    summary: 'Ask it for our balance and its catalogue, to see whether it can be used',
    description: 'Nothing is bought, and nothing of ours changes. Once in ten seconds, over all operators; then 429.',
    answer: { type: SupplierTestDto },
  })
  test(@CurrentCaller() caller: Caller, @SupplierCode() code: string): Promise<SupplierTestDto> {
    return this.changes.test(caller, code);
  }

  @Post(':code/sync')
  @ConsoleRoute('suppliers.sync', {
    summary: 'Read its catalogue, and take it over or tell what that would change',
    answer: { type: SyncDoneDto },
  })
  sync(@CurrentCaller() caller: Caller, @SupplierCode() code: string, @Body() body: SyncDto): Promise<SyncDoneDto> {
    return this.changes.sync(caller, code, body);
  }
}
