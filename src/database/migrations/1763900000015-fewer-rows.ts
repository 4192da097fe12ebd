import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

/** Tables of orders that referred to others by foreign keys which are not about money, with the tables that they referred to. */
const REFERRING = [
  ['order_items', 'suppliers', 'fk_order_items_supplier', 'supplier_id'],
  ['order_units', 'suppliers', 'fk_order_units_supplier', 'supplier_id'],
  ['unit_attempts', 'suppliers', 'fk_unit_attempts_supplier', 'supplier_id'],
  ['events', 'merchants', 'fk_events_merchant', 'merchant_id'],
  ['webhook_deliveries', 'webhooks', 'fk_webhook_deliveries_webhook', 'webhook_id'],
] as const;

const TABLES = [...new Set(REFERRING.flatMap(([table, parent]) => [parent, table]))];

/**
 * Lets an order write fewer rows and index entries, and acquire fewer locks.
 *
 * - Five foreign keys become guards of the tables that they referred to. Each key locked a row of its parent for every row of an
 *   order, and all orders lock the same few suppliers.
 * - A send that buys its unit, and a first POST that delivers, are recorded in the rows of the unit and the delivery,
 *   which the service writes at that moment anyway. They need no row of `supplier_calls` and `webhook_attempts`.
 *
 * Processes of the previous version go on beside new ones. They still write rows of calls and POSTs, which new ones
 * read as before. They do not show the calls and POSTs that new ones write into the rows of units and deliveries.
 */
export class FewerRows1763900000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(lockForChange(TABLES.join(', ')));
    await this.guardParents(runner);
    await this.dropKeys(runner);
    await this.holdFirstCalls(runner);
    await this.leaveRoomForUpdates(runner);
  }

  private async guardParents(runner: QueryRunner): Promise<void> {
    for (const [table, why] of [
      ['merchants', 'a merchant is never removed'],
      ['webhooks', 'a webhook is marked as deleted'],
    ] as const) {
      await runner.query(`
        CREATE TRIGGER tg_${table}_kept BEFORE DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT
        EXECUTE FUNCTION refuse_change('${why}')`);
      await keepNumbers(runner, table);
    }
    await keepNumbers(runner, 'suppliers');
    await runner.query(`
      CREATE TRIGGER tg_suppliers_kept BEFORE TRUNCATE ON suppliers FOR EACH STATEMENT
      EXECUTE FUNCTION refuse_change('suppliers are removed one by one')`);
    // A unit is at the supplier of its item or of an attempt. Before it writes an item or an attempt, a transaction
    // reads the offer. So the lock waits for all transactions that may write one, and later transactions read the
    // offers after the removal. The later transactions wait for the search, so the search must use indexes: by itself,
    // PostgreSQL reads whole tables and hopes for an early match.
    await runner.query(`
      CREATE FUNCTION keep_used_suppliers() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '2s' SET enable_seqscan = off AS $$
      BEGIN
        LOCK TABLE supplier_offers IN ACCESS EXCLUSIVE MODE;
        IF EXISTS (
          SELECT FROM removed WHERE EXISTS (SELECT FROM order_items WHERE supplier_id = removed.id)
            OR EXISTS (SELECT FROM unit_attempts WHERE supplier_id = removed.id)
            OR EXISTS (SELECT FROM archived_partitions WHERE removed.id = ANY(supplier_ids)))
        THEN
          RAISE EXCEPTION 'a supplier of units that were ordered is never removed'
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_suppliers_used AFTER DELETE ON suppliers REFERENCING OLD TABLE AS removed FOR EACH STATEMENT
      EXECUTE FUNCTION keep_used_suppliers()`);
  }

  private async dropKeys(runner: QueryRunner): Promise<void> {
    for (const [table, parent] of REFERRING) {
      const keys = (await runner.query(`
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement FROM pg_constraint
        WHERE contype = 'f' AND conparentid = 0 AND confrelid = '${parent}'::regclass
          AND (conrelid = '${table}'::regclass
               OR conrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '${table}'::regclass))`)) as {
        statement: string;
      }[];
      for (const { statement } of keys) await runner.query(statement);
    }
  }

  private async holdFirstCalls(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE order_units ADD COLUMN call_process text, ADD COLUMN call_duration_ms integer,
        ADD CONSTRAINT ck_order_units_call CHECK (
          num_nulls(call_process, call_duration_ms) IN (0, 2) AND (call_process IS NULL OR state = 'succeeded')) NOT VALID`);
    await runner.query(`
      ALTER TABLE webhook_deliveries ADD COLUMN first_started_at timestamptz(3), ADD COLUMN first_duration_ms integer,
        ADD COLUMN first_response_status integer, ADD COLUMN first_response_body text,
        ADD CONSTRAINT ck_webhook_deliveries_first CHECK (
          num_nulls(first_started_at, first_duration_ms, first_response_status) IN (0, 3)) NOT VALID`);
  }

  /** An item changes as its units settle, but no indexed column does. If its page has room, no index gets an entry. */
  private async leaveRoomForUpdates(runner: QueryRunner): Promise<void> {
    for (const name of await partsOf(runner, 'order_items'))
      await runner.query(`ALTER TABLE ${name} SET (fillfactor = 65)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of await partsOf(runner, 'order_items'))
      await runner.query(`ALTER TABLE ${name} RESET (fillfactor)`);
    await runner.query(`
      INSERT INTO supplier_calls (order_id, item, unit, attempt, kind, outcome, process, duration_ms, ended_at)
      SELECT order_id, item, unit, attempt, 'send', 'succeeded', call_process, call_duration_ms, updated_at
      FROM order_units WHERE call_process IS NOT NULL`);
    await runner.query(`ALTER TABLE order_units DROP COLUMN call_process, DROP COLUMN call_duration_ms`);
    await runner.query(`
      INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, response_body)
      SELECT id, 1, first_started_at, first_duration_ms, first_response_status, first_response_body
      FROM webhook_deliveries WHERE first_started_at IS NOT NULL`);
    await runner.query(`
      ALTER TABLE webhook_deliveries DROP COLUMN first_started_at, DROP COLUMN first_duration_ms,
        DROP COLUMN first_response_status, DROP COLUMN first_response_body`);
    for (const [table, parent, key, column] of REFERRING)
      await runner.query(`ALTER TABLE ${table} ADD CONSTRAINT ${key} FOREIGN KEY (${column}) REFERENCES ${parent}`);
    await runner.query(`DROP TRIGGER tg_suppliers_used ON suppliers`);
    await runner.query(`DROP FUNCTION keep_used_suppliers`);
    for (const table of ['merchants', 'webhooks', 'suppliers'])
      for (const rule of ['kept', 'numbered']) await runner.query(`DROP TRIGGER tg_${table}_${rule} ON ${table}`);
  }
}

const keepNumbers = (runner: QueryRunner, table: string): Promise<unknown> =>
  runner.query(`
    CREATE TRIGGER tg_${table}_numbered BEFORE UPDATE OF id ON ${table} FOR EACH STATEMENT
    EXECUTE FUNCTION refuse_change('orders name it by its number')`);

/** The partitions of a table, or the table itself. */
async function partsOf(runner: QueryRunner, table: string): Promise<string[]> {
  const partitions = (await runner.query(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${table}'::regclass`,
  )) as { name: string }[];
  return partitions.length === 0 ? [table] : partitions.map(({ name }) => name);
}
