import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { parseNetwork } from '../core/networks.js';
import { AppError, UnknownResource } from '../core/errors.js';
import { apiKeyPrefix, newApiKey, SANDBOX_KEY_START } from '../core/identifiers.js';
import { textProblem } from '../core/text.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** The row of a new key, and the key itself, which is not stored. */
export interface IssuedApiKey {
  apiKey: ApiKey;
  key: string;
}

export interface IssueOptions {
  name?: string;
  /** Networks in CIDR notation, or single addresses. */
  allowedNetworks?: string[];
  expiresAt?: Date | null;
}

/** The longest time for which an old key may work beside its successor. */
export const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** A key has 256 random bits, so a fast hash is as safe as a slow one. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

@Injectable()
export class ApiKeysService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly apiKeys: ApiKeysRepository,
    private readonly merchants: MerchantsService,
  ) {}

  /**
   * Issues a key to a merchant.
   * @throws NOT_FOUND for an unknown merchant; BAD_REQUEST for a bad network, name or operator, or a past expiry.
   */
  async issue(merchantId: number, options: IssueOptions = {}, by?: Actor): Promise<IssuedApiKey> {
    const { sandbox } = await this.merchants.get(merchantId);
    const allowedNetworks = options.allowedNetworks ?? [];
    const wrong = allowedNetworks.find((network) => !parseNetwork(network));
    if (wrong !== undefined)
      throw new AppError('BAD_REQUEST', `${wrong} must be an address or a network, such as 203.0.113.0/24`);
    const name = options.name ?? '';
    const problem = textProblem(name, 0, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the key's name ${problem}`);
    const expiresAt = options.expiresAt ?? null;
    if (expiresAt && expiresAt.getTime() <= Date.now()) {
      throw new AppError('BAD_REQUEST', `the expiry ${expiresAt.toISOString()} is in the past`);
    }
    return this.database.transaction(async (tx) => {
      const fields = {
        merchant_id: merchantId,
        name,
        allowed_networks: allowedNetworks,
        expires_at: expiresAt,
      };
      const issued = await this.insert(tx, newApiKey(sandbox, this.config.CELL), fields);
      recordAction(tx, by, {
        action: 'api_key.issue',
        merchantId,
        detail: keyDetail(issued.apiKey),
      });
      return issued;
    });
  }

  async list(merchantId: number): Promise<ApiKey[]> {
    await this.merchants.get(merchantId);
    return this.apiKeys.list(merchantId);
  }

  /** Revokes a key, which stops working within 5 s. Revoking again changes nothing. @throws NOT_FOUND */
  async revoke(id: number, by?: Actor): Promise<ApiKey> {
    const { merchant_id, prefix } = await this.get(id);
    await this.database.transaction(async (tx) => {
      if (!(await this.apiKeys.revoke(tx, id))) return;
      recordAction(tx, by, { action: 'api_key.revoke', merchantId: merchant_id, detail: { id, prefix } });
    });
    return this.get(id);
  }

  /**
   * Issues a successor with the same merchant, name, networks and expiry, and ends the old key.
   * @param overlapSeconds how long both keys work, unless the old key expires before; 0 revokes the old key at once.
   * @throws NOT_FOUND; CONFLICT when the key has already ended, or was rotated before.
   */
  async rotate(id: number, overlapSeconds: number, by?: Actor): Promise<IssuedApiKey> {
    return this.database.transaction(async (tx) => {
      const old = await this.apiKeys.lock(tx, id);
      if (!old) throw new UnknownResource('API key', id);
      if (old.revoked_at || (old.expires_at && old.expires_at.getTime() <= Date.now())) {
        throw new AppError('CONFLICT', `API key ${id} has ended already: issue a new one instead`);
      }
      // The earlier rotation shortened this key's expiry, and a second successor would inherit the short expiry.
      const successor = await this.apiKeys.findSuccessor(tx, old);
      if (successor !== null) {
        const message = `API key ${id} was rotated before: rotate its successor, API key ${successor}, instead`;
        throw new AppError('CONFLICT', message);
      }
      if (overlapSeconds === 0) await this.apiKeys.revoke(tx, id);
      else await this.apiKeys.expireIn(tx, id, overlapSeconds);
      const { merchant_id, name, allowed_networks, expires_at } = old;
      const key = newApiKey(old.prefix.startsWith(SANDBOX_KEY_START), this.config.CELL);
      const issued = await this.insert(tx, key, { merchant_id, name, allowed_networks, expires_at });
      const detail = {
        id,
        overlap_seconds: overlapSeconds,
        successor: { id: issued.apiKey.id, prefix: issued.apiKey.prefix },
      };
      recordAction(tx, by, { action: 'api_key.rotate', merchantId: merchant_id, detail });
      return issued;
    });
  }

  /** @throws NOT_FOUND */
  async get(id: number): Promise<ApiKey> {
    const apiKey = await this.apiKeys.find(id);
    if (!apiKey) throw new UnknownResource('API key', id);
    return apiKey;
  }

  private async insert(
    tx: Transaction,
    key: string,
    fields: Pick<ApiKey, 'merchant_id' | 'name' | 'allowed_networks' | 'expires_at'>,
  ): Promise<IssuedApiKey> {
    const made = { ...fields, prefix: apiKeyPrefix(key), key_hash: hashApiKey(key) };
    return { apiKey: await this.apiKeys.insert(tx, made), key };
  }
}

const keyDetail = ({ id, prefix, name, allowed_networks, expires_at }: ApiKey): Record<string, unknown> => ({
  id,
  prefix,
  name,
  allowed_ips: allowed_networks,
  expires_at: expires_at?.toISOString() ?? null,
});
