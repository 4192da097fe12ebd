import type { PartitionSet } from './partition-sets.js';

/**
 * Each partition has a unique index of references; that none is used again in another one is seen to here, whoever
 * places orders. Whoever places orders of a merchant holds the lock of its wallet: who does not gets it here, so that an
 * order of the same reference is either seen, or waits and then sees this one.
 */
const REFUSE_REPEATED_REFERENCES = `
  CREATE OR REPLACE FUNCTION refuse_repeated_reference() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    repeated text;
  BEGIN
    PERFORM FROM wallets WHERE merchant_id IN (SELECT merchant_id FROM placed) ORDER BY merchant_id FOR NO KEY UPDATE;
    SELECT placed.reference_id INTO repeated FROM placed CROSS JOIN LATERAL (
      SELECT FROM orders
      WHERE merchant_id = placed.merchant_id AND reference_id BETWEEN placed.reference_id AND placed.reference_id
        AND id <> placed.id
      ORDER BY reference_id LIMIT 1) other LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'the reference % is that of another order', repeated
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_orders_merchant_reference';
    END IF;
    RETURN NULL;
  END $$`;

const WATCH_REFERENCES = `
  CREATE TRIGGER tg_orders_repeated_reference AFTER INSERT ON orders REFERENCING NEW TABLE AS placed
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_repeated_reference()`;

/**
 * The same for movements of money: one hold, one spend and one refund of an order, and one credit or debit of an operator's
 * reference. Movements of orders are many, those of operators few and never in one statement with the others.
 */
const REFUSE_REPEATED_TRANSFERS = `
  CREATE OR REPLACE FUNCTION refuse_repeated_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    repeated record;
  BEGIN
    PERFORM FROM wallets WHERE merchant_id IN (SELECT merchant_id FROM moved) ORDER BY merchant_id FOR NO KEY UPDATE;
    SELECT moved.order_id, moved.kind INTO repeated FROM moved CROSS JOIN LATERAL (
      SELECT FROM transfers
      WHERE order_id = moved.order_id AND kind BETWEEN moved.kind AND moved.kind AND id <> moved.id
      ORDER BY kind LIMIT 1) other LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'order % has another movement of the kind %', repeated.order_id, repeated.kind
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_transfers_order_kind';
    END IF;
    PERFORM FROM moved WHERE reference IS NOT NULL;
    IF FOUND THEN
      SELECT moved.reference INTO repeated FROM moved CROSS JOIN LATERAL (
        SELECT FROM transfers
        WHERE merchant_id = moved.merchant_id AND reference BETWEEN moved.reference AND moved.reference AND id <> moved.id
        ORDER BY reference LIMIT 1) other LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'the reference % is that of another movement', repeated.reference
          USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_transfers_reference';
      END IF;
    END IF;
    RETURN NULL;
  END $$`;

const WATCH_TRANSFERS = `
  CREATE TRIGGER tg_transfers_repeated AFTER INSERT ON transfers REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_repeated_transfer()`;

/** What keeps unique in all partitions of a set together what their indexes keep so in each. */
export const WATCHES: Record<PartitionSet['name'], readonly string[]> = {
  orders: [REFUSE_REPEATED_REFERENCES, WATCH_REFERENCES],
  transfers: [REFUSE_REPEATED_TRANSFERS, WATCH_TRANSFERS],
};
