import type pg from 'pg';

/** The schema of a usual implementation: the same facts in as many tables, with the indexes that it needs. */
export const NAIVE_SCHEMA = `
  CREATE SCHEMA naive;
  CREATE TABLE naive.api_keys (key_hash bytea PRIMARY KEY, merchant_id int NOT NULL);
  CREATE TABLE naive.wallets (merchant_id int PRIMARY KEY, available bigint NOT NULL, held bigint NOT NULL DEFAULT 0);
  CREATE TABLE naive.products (sku text PRIMARY KEY, price bigint NOT NULL);
  CREATE TABLE naive.orders (
    id bigserial PRIMARY KEY, order_number text NOT NULL UNIQUE, merchant_id int NOT NULL REFERENCES naive.wallets,
    reference_id text NOT NULL, user_id text NOT NULL, status text NOT NULL DEFAULT 'pending', total bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (merchant_id, reference_id));
  CREATE TABLE naive.order_items (
    id bigserial PRIMARY KEY, order_id bigint NOT NULL REFERENCES naive.orders, sku text NOT NULL, quantity int NOT NULL,
    price bigint NOT NULL, status text NOT NULL DEFAULT 'pending');
  CREATE INDEX ON naive.order_items (order_id);
  CREATE TABLE naive.transactions (
    id bigserial PRIMARY KEY, merchant_id int NOT NULL REFERENCES naive.wallets, order_id bigint REFERENCES naive.orders,
    kind text NOT NULL, amount bigint NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX ON naive.transactions (merchant_id, id);
  CREATE TABLE naive.deliveries (
    id bigserial PRIMARY KEY, order_id bigint NOT NULL REFERENCES naive.orders, body text NOT NULL,
    status text NOT NULL DEFAULT 'pending', updated_at timestamptz NOT NULL DEFAULT now());`;

/** The merchants, keys and balances of the service. */
export async function createNaive(database: pg.Pool, sku: string): Promise<void> {
  await database.query(NAIVE_SCHEMA);
  await database.query(`
    INSERT INTO naive.api_keys SELECT key_hash, merchant_id FROM api_keys;
    INSERT INTO naive.wallets SELECT merchant_id, available FROM wallets;
    INSERT INTO naive.products VALUES ('${sku}', 3500)`);
}
