import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { ReasonDto } from '../reason.dto.js';
import { MerchantViewsService } from './merchant-views.service.js';
import { ConsoleMerchantDto, MerchantDaysDto, MerchantsQueryDto, NewMerchantDto } from './merchant.dto.js';

@ApiTags('Merchants')
@Controller('api/merchants')
export class ConsoleMerchantsController {
  constructor(private readonly merchants: MerchantViewsService) {}

  @Get()
  @ConsoleRoute('merchants.read', 'Merchants, sorted by id', [ConsoleMerchantDto])
  list(@CurrentCaller() caller: Caller, @Query() query: MerchantsQueryDto): Promise<Page<ConsoleMerchantDto>> {
    return this.merchants.list(caller, query);
  }

  @Post()
  @ConsoleRoute('merchants.create', 'Add a merchant with an empty wallet', ConsoleMerchantDto, {
    description: 'A repeated request with the same Idempotency-Key returns the same merchant.',
    status: 201,
  })
  create(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: NewMerchantDto,
  ): Promise<ConsoleMerchantDto> {
    return this.merchants.create(caller, key, body);
  }

  @Get(':id')
  @ConsoleRoute('merchants.read', 'A merchant', ConsoleMerchantDto)
  show(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<ConsoleMerchantDto> {
    return this.merchants.show(caller, id);
  }

  @Get(':id/days')
  @ConsoleRoute('merchants.read', 'A merchant’s orders of each of the last thirty days', MerchantDaysDto, {
    description: 'Days begin in the operator’s time zone.',
  })
  days(@CurrentCaller() caller: Caller, @PathId('merchant') id: number): Promise<MerchantDaysDto> {
    return this.merchants.days(caller, id);
  }

  @Post(':id/suspension')
  @ConsoleRoute('merchants.suspend', 'Refuse a merchant’s requests, within 5 seconds', ConsoleMerchantDto, {
    description: 'Its open orders are still completed. Doing it twice changes nothing.',
  })
  suspend(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Body() { reason }: ReasonDto,
  ): Promise<ConsoleMerchantDto> {
    return this.merchants.setStatus(caller, id, 'suspended', reason);
  }

  @Delete(':id/suspension')
  @ConsoleRoute(
    'merchants.suspend',
    'Accept a suspended merchant’s requests again, within 5 seconds',
    ConsoleMerchantDto,
  )
  resume(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @Query() { reason }: ReasonDto,
  ): Promise<ConsoleMerchantDto> {
    return this.merchants.setStatus(caller, id, 'active', reason);
  }
}
