import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Partitions of orders that were archived, and what stays of their orders: the references, so that none buys twice, with
 * the order as it ended. Nothing looks here until a first partition is archived, which is when the trigger is made.
 */
export class ArchivedOrders1763800000085 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE archived_partitions (
        number integer CONSTRAINT pk_archived_partitions PRIMARY KEY,
        first_id bigint,
        end_id bigint NOT NULL,
        state text NOT NULL CONSTRAINT ck_archived_partitions_state
          CHECK (state IN ('begun', 'verified', 'detached', 'dropped', 'attached')),
        directory text NOT NULL,
        manifest_hash bytea,
        orders bigint NOT NULL CONSTRAINT ck_archived_partitions_orders CHECK (orders >= 0),
        bytes bigint,
        months jsonb NOT NULL,
        supplier_ids integer[] NOT NULL,
        archived_by text NOT NULL,
        begun_at timestamptz(3) NOT NULL DEFAULT now(),
        archived_at timestamptz(3),
        CONSTRAINT ck_archived_partitions_ids CHECK (first_id < end_id),
        CONSTRAINT ck_archived_partitions_manifest CHECK (state = 'begun' OR manifest_hash IS NOT NULL),
        CONSTRAINT ck_archived_partitions_archived CHECK (state NOT IN ('dropped', 'attached') OR archived_at IS NOT NULL)
      )`);
    await runner.query(`
      CREATE TABLE order_references (
        order_id bigint CONSTRAINT pk_order_references PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_order_references_merchant REFERENCES merchants,
        reference_id text NOT NULL,
        order_number text NOT NULL,
        content_hash bytea NOT NULL,
        answer json NOT NULL,
        CONSTRAINT uq_order_references_reference UNIQUE (merchant_id, reference_id)
      )`);
    // For what suppliers say of archived orders: the references of their purchases begin with the number.
    await runner.query(`CREATE INDEX ix_order_references_number ON order_references (order_number)`);
    await runner.query(`
      CREATE TRIGGER tg_order_references_immutable BEFORE UPDATE OR TRUNCATE ON order_references FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('the reference of an archived order is never changed')`);
    await runner.query(`
      CREATE FUNCTION refuse_lost_reference() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM orders WHERE id = OLD.order_id) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'DELETE of order_references is refused: the order % is archived', OLD.order_number
          USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_order_references_kept BEFORE DELETE ON order_references FOR EACH ROW
      EXECUTE FUNCTION refuse_lost_reference()`);
    await runner.query(`
      CREATE FUNCTION refuse_archived_reference() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        archived text;
      BEGIN
        SELECT placed.reference_id INTO archived FROM placed CROSS JOIN LATERAL (
          SELECT FROM order_references
          WHERE merchant_id = placed.merchant_id
            AND reference_id BETWEEN placed.reference_id AND placed.reference_id
          ORDER BY reference_id LIMIT 1) other LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'the reference % is that of an archived order', archived
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'uq_order_references_reference';
        END IF;
        RETURN NULL;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE order_references, archived_partitions`);
    await runner.query(`DROP FUNCTION refuse_archived_reference, refuse_lost_reference`);
  }
}
