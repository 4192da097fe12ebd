import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { ReasonDto } from '../reason.dto.js';
import { ConsoleKeyDto, ConsoleKeysDto, IssuedKeyDto, IssueKeyDto, RotateKeyDto } from './merchant-keys.dto.js';
import { MerchantKeysService } from './merchant-keys.service.js';

const ONCE =
  'Asks for confirmation. Only this answer has the key. A repeated request with the same Idempotency-Key is 409.';

@ApiTags('Merchants')
@Controller('api/merchants/:id/keys')
export class ConsoleKeysController {
  constructor(private readonly keys: MerchantKeysService) {}

  @Get()
  @ConsoleRoute('merchants.read', 'A merchant’s API keys', ConsoleKeysDto)
  list(@PathId('merchant') id: number): Promise<ConsoleKeysDto> {
    return this.keys.list(id);
  }

  @Post()
  @ConsoleRoute('keys.issue', 'Issue a key', IssuedKeyDto, { description: ONCE, status: 201 })
  issue(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') id: number,
    @IdempotencyKey() key: string | undefined,
    @Body() body: IssueKeyDto,
  ): Promise<IssuedKeyDto> {
    return this.keys.issue(caller, id, key, body);
  }

  @Post(':key/rotation')
  @ConsoleRoute(
    'keys.rotate',
    'Issue a successor with the same name, networks and expiry, and end the old key',
    IssuedKeyDto,
    { description: ONCE, status: 201 },
  )
  rotate(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @PathId('API key', 'key') id: number,
    @IdempotencyKey() key: string | undefined,
    @Body() body: RotateKeyDto,
  ): Promise<IssuedKeyDto> {
    return this.keys.rotate(caller, { merchantId, id }, key, body);
  }

  @Delete(':key')
  @ConsoleRoute('keys.revoke', 'End a key for good, within 5 seconds', ConsoleKeyDto)
  revoke(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @PathId('API key', 'key') id: number,
    @Query() { reason }: ReasonDto,
  ): Promise<ConsoleKeyDto> {
    return this.keys.revoke(caller, { merchantId, id }, reason);
  }
}
