import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, JsonContains } from 'typeorm';
import { AuditLogEntry } from '../audit-log/audit-log-entry.entity.js';
import { Database, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { ApiKey } from './api-key.entity.js';

/** The facts about a key that a request needs. */
export type RecognizedKey = Pick<ApiKey, 'id' | 'merchant_id' | 'key_hash' | 'allowed_networks'> & {
  /** By the database's clock, which all processes share; null for a key without expiry. */
  expires_in_ms: number | null;
  suspended: boolean;
  /** Whether it is the key of a sandbox merchant. */
  sandbox: boolean;
};

const LIST_KEYS = statement(
  'api_keys.list',
  { hashes: 'bytea[]' },
  ({ hashes }) => `SELECT k.id, k.merchant_id, k.key_hash, k.allowed_networks, m.status = 'suspended' AS suspended,
                m.sandbox,
                (extract(epoch FROM k.expires_at - statement_timestamp()) * 1000)::float8 AS expires_in_ms
         FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
         WHERE k.key_hash = ANY(${hashes}) AND k.revoked_at IS NULL`,
);

/** Skips rows that another process is writing. Caps the time at now, because a process's clock may be ahead. */
const NOTE_USES = statement(
  'api_keys.note_uses',
  { uses: rowsOf({ id: 'int', used_at: 'timestamptz' }) },
  ({ uses }) => `
    UPDATE api_keys k SET last_used_at = due.used_at
    FROM (SELECT stored.id, least(used.used_at, statement_timestamp()) AS used_at
          FROM ${uses.as('used')} JOIN api_keys stored ON stored.id = used.id
          WHERE stored.last_used_at IS NULL OR stored.last_used_at < used.used_at
          ORDER BY stored.id FOR NO KEY UPDATE OF stored SKIP LOCKED) due
    WHERE k.id = due.id`,
);

type NewApiKey = Pick<ApiKey, 'merchant_id' | 'name' | 'prefix' | 'key_hash' | 'allowed_networks' | 'expires_at'>;

@Injectable()
export class ApiKeysRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Lists keys that are not revoked, with their merchants' state. @throws SERVICE_UNAVAILABLE */
  recognize(hashes: Buffer[]): Promise<RecognizedKey[]> {
    return this.database.query<RecognizedKey>(...LIST_KEYS.with({ hashes }));
  }

  /** @param uses times are full hours. @throws SERVICE_UNAVAILABLE */
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

  /** @returns the id of the key's successor; null if the audit log has no rotation of the key. */
  async findSuccessor({ manager }: Transaction, { id, merchant_id }: ApiKey): Promise<number | null> {
    const rotation = { action: 'api_key.rotate', merchant_id, detail: JsonContains({ id }) };
    const found = await manager.findOneBy(AuditLogEntry, rotation);
    return found && (found.detail.successor as Pick<ApiKey, 'id'>).id;
  }

  insert({ manager }: Transaction, apiKey: NewApiKey): Promise<ApiKey> {
    return manager.save(manager.create(ApiKey, apiKey));
  }

  /** @returns false if the key was already revoked. */
  async revoke({ manager }: Transaction, id: number): Promise<boolean> {
    const { affected } = await manager.update(ApiKey, { id, revoked_at: IsNull() }, { revoked_at: () => 'now()' });
    return affected === 1;
  }

  /** Lets the key expire after this time, unless it expires earlier. */
  async expireIn({ manager }: Transaction, id: number, seconds: number): Promise<void> {
    const end = (): string => `least(expires_at, now() + interval '${seconds} seconds')`;
    await manager.update(ApiKey, { id }, { expires_at: end });
  }
}
