import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { SupplierCode } from './supplier-code.js';
import { SupplierDetailDto } from './supplier.dto.js';
import { AdaptersDto, RemovedSupplierDto, RemoveSupplierDto, SetSupplierDto } from './supplier-settings.dto.js';
import { SupplierSettingsViewsService } from './supplier-settings-views.service.js';

@ApiTags('Suppliers')
@Controller('api/suppliers')
export class ConsoleSupplierSettingsController {
  constructor(private readonly settings: SupplierSettingsViewsService) {}

  @Get('adapters')
  @ConsoleRoute('suppliers.read', {
    summary: 'What suppliers can be: the credentials and options of each adapter',
    answer: { type: AdaptersDto },
  })
  adapters(): AdaptersDto {
    return this.settings.adapters();
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
    return this.settings.set(caller, code, body);
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
    @Query() query: RemoveSupplierDto,
  ): Promise<RemovedSupplierDto> {
    return this.settings.remove(caller, code, query);
  }
}
