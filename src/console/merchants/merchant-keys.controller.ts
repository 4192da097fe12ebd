import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ApiKey } from '../../auth/api-key.entity.js';
import { ApiKeysService, type IssuedApiKey } from '../../auth/api-keys.service.js';
import { AppError, UnknownResource } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { checkedMoment } from '../../core/moments.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { ReasonDto } from '../reason.dto.js';
import { ConsoleKeyDto, ConsoleKeysDto, IssuedKeyDto, IssueKeyDto, RotateKeyDto } from './merchant-keys.dto.js';

const ONCE =
  'Asks for confirmation. Only this answer has the key. A repeated request with the same Idempotency-Key is 409.';

/** A merchant's API keys. */
@ApiTags('Merchants')
@Controller('api/merchants/:id/keys')
export class ConsoleKeysController {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly idempotency: IdempotencyService,
  ) {}

  @Get()
  @ConsoleRoute('merchants.read', 'A merchant’s API keys', ConsoleKeysDto)
  async list(@PathId('merchant') id: number): Promise<ConsoleKeysDto> {
    return { data: (await this.keys.list(id)).map(toConsoleKeyDto).reverse() };
  }

  @Post()
  @ConsoleRoute('keys.issue', 'Issue a key', IssuedKeyDto, { description: ONCE, status: 201 })
  issue(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @IdempotencyKey() key: string | undefined,
    @Body() { name, allowed_networks: allowedNetworks, expires_at: expires }: IssueKeyDto,
  ): Promise<IssuedKeyDto> {
    caller.assertConfirmed();
    const expiresAt = expires === undefined ? null : checkedMoment(expires);
    return this.idempotency.run<IssuedKeyDto>(caller, {
      action: 'api_key.issue',
      key,
      request: {
        merchantId,
        detail: { name: name ?? '', allowed_ips: allowedNetworks ?? [], expires_at: expiresAt?.toISOString() ?? null },
      },
      carryOut: async (by) =>
        toIssuedKeyDto(await this.keys.issue(merchantId, { name, allowedNetworks, expiresAt }, by)),
      answerFrom: ({ detail }) => shownBefore(detail.prefix),
    });
  }

  @Post(':key/rotation')
  @ConsoleRoute(
    'keys.rotate',
    'Issue a successor with the same name, networks and expiry, and end the old key, at once or later',
    IssuedKeyDto,
    { description: ONCE, status: 201 },
  )
  async rotate(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @PathId('API key', 'key') id: number,
    @IdempotencyKey() key: string | undefined,
    @Body() { overlap_seconds: overlap }: RotateKeyDto,
  ): Promise<IssuedKeyDto> {
    caller.assertConfirmed();
    await this.assertOf(merchantId, id);
    return this.idempotency.run<IssuedKeyDto>(caller, {
      action: 'api_key.rotate',
      key,
      request: { merchantId, detail: { id, overlap_seconds: overlap } },
      carryOut: async (by) => toIssuedKeyDto(await this.keys.rotate(id, overlap, by)),
      answerFrom: ({ detail }) => shownBefore((detail.successor as Partial<ApiKey>).prefix),
    });
  }

  @Delete(':key')
  @ConsoleRoute('keys.revoke', 'End a key for good, within 5 seconds', ConsoleKeyDto)
  async revoke(
    @CurrentCaller() caller: Caller,
    @PathId('merchant') merchantId: number,
    @PathId('API key', 'key') id: number,
    @Query() { reason }: ReasonDto,
  ): Promise<ConsoleKeyDto> {
    await this.assertOf(merchantId, id);
    return toConsoleKeyDto(await this.keys.revoke(id, caller.actor(reason)));
  }

  /** The check stays true, because a key never changes its merchant. @throws NOT_FOUND for a key of another merchant. */
  private async assertOf(merchantId: number, id: number): Promise<void> {
    const { merchant_id: owner } = await this.keys.get(id);
    if (owner !== merchantId) throw new UnknownResource('API key', id);
  }
}

function shownBefore(prefix: unknown): Promise<never> {
  const message =
    `This request has issued the key ${String(prefix)}… before and showed it then. If the key is lost, revoke it and ` +
    'issue another.';
  return Promise.reject(new AppError('CONFLICT', message));
}

const toIssuedKeyDto = ({ apiKey, key }: IssuedApiKey): IssuedKeyDto => ({ api_key: toConsoleKeyDto(apiKey), key });

const toConsoleKeyDto = (apiKey: ApiKey): ConsoleKeyDto => ({
  ...pick(apiKey, 'id', 'prefix', 'name', 'allowed_networks', 'expires_at', 'revoked_at', 'last_used_at', 'created_at'),
  state: stateOf(apiKey),
});

function stateOf({ revoked_at: revoked, expires_at: expires }: ApiKey): ConsoleKeyDto['state'] {
  if (revoked) return 'revoked';
  return expires && expires.getTime() <= Date.now() ? 'expired' : 'active';
}
