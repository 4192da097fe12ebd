import { rowsOf, statement } from '../database/parameters.js';
import type { ApiKey } from './api-key.entity.js';

/** What requests are recognized by. */
export type RecognizedKey = Pick<ApiKey, 'id' | 'merchant_id' | 'key_hash' | 'allowed_networks'> & {
  /** By the clock of the database, which all processes share; null for a key without an end. */
  expires_in_ms: number | null;
  suspended: boolean;
  /** Whether it is the key of a sandbox merchant. */
  sandbox: boolean;
};

export const FIND_KEYS = statement(
  'api_keys.find',
  { hashes: 'bytea[]' },
  ({
    hashes,
  }) => `SELECT k.id, k.merchant_id, k.key_hash, k.allowed_networks, m.status = 'suspended' AS suspended,
                m.sandbox,
                (extract(epoch FROM k.expires_at - statement_timestamp()) * 1000)::float8 AS expires_in_ms
         FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
         WHERE k.key_hash = ANY(${hashes}) AND k.revoked_at IS NULL`,
);

/** What another process writes at this moment is left to it. No key was used later than now: a process's clock may be ahead. */
export const NOTE_USES = statement(
  'api_keys.note_uses',
  { uses: rowsOf({ id: 'int', used_at: 'timestamptz' }) },
  ({ uses }) => `
    UPDATE api_keys k SET last_used_at = due.used_at
    FROM (SELECT kept.id, least(used.used_at, statement_timestamp()) AS used_at
          FROM ${uses.as('used')} JOIN api_keys kept ON kept.id = used.id
          WHERE kept.last_used_at IS NULL OR kept.last_used_at < used.used_at
          ORDER BY kept.id FOR NO KEY UPDATE OF kept SKIP LOCKED) due
    WHERE k.id = due.id`,
);
