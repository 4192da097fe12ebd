import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull } from 'typeorm';
import { Database, type Transaction } from '../database/database.js';
import { ApiKey } from './api-key.entity.js';
import { FIND_KEYS, NOTE_USES, type RecognizedKey } from './api-keys.sql.js';

export type { RecognizedKey } from './api-keys.sql.js';

type NewApiKey = Pick<
  ApiKey,
  'merchant_id' | 'name' | 'prefix' | 'key_hash' | 'allowed_networks' | 'expires_at'
>;

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Those that are not revoked, with their merchants' state. @throws SERVICE_UNAVAILABLE */
  recognize(hashes: Buffer[]): Promise<RecognizedKey[]> {
    return this.database.query<RecognizedKey>(...FIND_KEYS.with({ hashes }));
  }

  /** @param uses to the hour. @throws SERVICE_UNAVAILABLE */
  async noteUses(uses: { id: number; used_at: Date }[]): Promise<void> {
    await this.database.query(...NOTE_USES.with({ uses }));
  }

  list(merchantId: number): Promise<ApiKey[]> {
    return this.dataSource.manager.find(ApiKey, { where: { merchant_id: merchantId }, order: { id: 'ASC' } });
  }

  find(id: number): Promise<ApiKey | null> {
    return this.dataSource.manager.findOneBy(ApiKey, { id });
  }

  lock({ manager }: Transaction, id: number): Promise<ApiKey | null> {
    return manager.findOne(ApiKey, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  insert({ manager }: Transaction, apiKey: NewApiKey): Promise<ApiKey> {
    return manager.save(manager.create(ApiKey, apiKey));
  }

  /** @returns whether that ended it: false where it was revoked already. */
  async revoke({ manager }: Transaction, id: number): Promise<boolean> {
    const { affected } = await manager.update(
      ApiKey,
      { id, revoked_at: IsNull() },
      { revoked_at: () => 'now()' },
    );
    return affected === 1;
  }

  /** Lets it expire so much later, unless it does so before. */
  async expireIn({ manager }: Transaction, id: number, seconds: number): Promise<void> {
    const end = (): string => `least(expires_at, now() + interval '${seconds} seconds')`;
    await manager.update(ApiKey, { id }, { expires_at: end });
  }
}
