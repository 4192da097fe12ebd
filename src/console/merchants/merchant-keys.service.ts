import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../auth/api-key.entity.js';
import { ApiKeysService, type IssuedApiKey } from '../../auth/api-keys.service.js';
import { AppError, UnknownResource } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { checkedMoment } from '../../core/moments.js';
import type { Caller } from '../access/caller.js';
import { IdempotencyService } from '../access/idempotency.service.js';
import type { ConsoleKeyDto, ConsoleKeysDto, IssuedKeyDto, IssueKeyDto, RotateKeyDto } from './merchant-keys.dto.js';

/** A merchant's API keys. */
@Injectable()
export class MerchantKeysService {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly idempotency: IdempotencyService,
  ) {}

  async list(merchantId: number): Promise<ConsoleKeysDto> {
    return { data: (await this.keys.list(merchantId)).map(toConsoleKeyDto).reverse() };
  }

  /**
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN; CONFLICT for an idempotency key that was used.
   */
  issue(
    caller: Caller,
    merchantId: number,
    idempotencyKey: string | undefined,
    { name, allowed_networks: allowedNetworks, expires_at: expires }: IssueKeyDto,
  ): Promise<IssuedKeyDto> {
    caller.assertConfirmed();
    const expiresAt = expires === undefined ? null : checkedMoment(expires);
    return this.idempotency.run<IssuedKeyDto>(caller, {
      action: 'api_key.issue',
      key: idempotencyKey,
      request: {
        merchantId,
        detail: { name: name ?? '', allowed_ips: allowedNetworks ?? [], expires_at: expiresAt?.toISOString() ?? null },
      },
      carryOut: async (by) =>
        toIssuedKeyDto(await this.keys.issue(merchantId, { name, allowedNetworks, expiresAt }, by)),
      repeat: ({ detail }) => shownBefore(detail.prefix),
    });
  }

  /** @throws as {@link issue}; CONFLICT when the key has ended already. */
  async rotate(
    caller: Caller,
    key: { merchantId: number; id: number },
    idempotencyKey: string | undefined,
    { overlap_seconds: overlap }: RotateKeyDto,
  ): Promise<IssuedKeyDto> {
    caller.assertConfirmed();
    await this.assertOf(key);
    return this.idempotency.run<IssuedKeyDto>(caller, {
      action: 'api_key.rotate',
      key: idempotencyKey,
      request: { merchantId: key.merchantId, detail: { id: key.id, overlap_seconds: overlap } },
      carryOut: async (by) => toIssuedKeyDto(await this.keys.rotate(key.id, overlap, by)),
      repeat: ({ detail }) => shownBefore((detail.successor as Partial<ApiKey>).prefix),
    });
  }

  /** Ends a key at once. A repetition changes nothing. @throws NOT_FOUND */
  async revoke(caller: Caller, key: { merchantId: number; id: number }, reason: string): Promise<ConsoleKeyDto> {
    await this.assertOf(key);
    return toConsoleKeyDto(await this.keys.revoke(key.id, caller.actor(reason)));
  }

  /** The check stays true, because a key never changes its merchant. @throws NOT_FOUND for a key of another merchant. */
  private async assertOf({ merchantId, id }: { merchantId: number; id: number }): Promise<void> {
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
