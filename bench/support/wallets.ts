import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';

export interface Wallet {
  merchantId: number;
  key: string;
}

const DIGITS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';

/** Creates merchants with a key and a hundred million baht each, with the rows that the command line would write. */
export async function createWallets(database: pg.Pool, count: number): Promise<Wallet[]> {
  const keys = Array.from({ length: count }, () =>
    [...randomBytes(43)].map((byte) => DIGITS[byte % DIGITS.length]).join(''),
  ).map((text) => `topup_${text}`);
  const { rows } = await database.query<{ merchant_id: number; n: number }>(
    `WITH made AS (INSERT INTO merchants (name) SELECT 'Bench ' || n FROM generate_series(1, $1::int) n RETURNING id),
       numbered AS (SELECT id, row_number() OVER (ORDER BY id)::int AS n FROM made),
       opened AS (INSERT INTO wallets (merchant_id, available) SELECT id, 10000000000 FROM made),
       funded AS (
         INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, operator)
         SELECT id, 'credit', 'funding', 'available', 10000000000, 10000000000, 'bench', 'bench' FROM made),
       keyed AS (
         INSERT INTO api_keys (merchant_id, prefix, key_hash)
         SELECT numbered.id, left(k.key, 12), k.hash FROM numbered
         JOIN unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS k(key, hash, n) USING (n))
     SELECT id AS merchant_id, n FROM numbered ORDER BY n`,
    [count, keys, keys.map((key) => createHash('sha256').update(key).digest())],
  );
  return rows.map(({ merchant_id: merchantId, n }) => ({ merchantId, key: keys[n - 1] ?? '' }));
}
