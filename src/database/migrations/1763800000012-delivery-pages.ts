import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many deliveries are told their event's kind at a time, so that none of them is locked for long. */
const BATCH = 5_000;

/**
 * One index that serves each page of the delivery log, whatever it is filtered by. For that a delivery knows the kind of
 * its event. The index takes the places of the two that served some pages; each delivery is entered into it as often as
 * into one of them. Its `id + 0` keeps it away from what looks for a delivery by its id alone: while the table is empty,
 * PostgreSQL finds any index with an id in it as good as the primary key, and keeps to that.
 *
 * Deliveries are many, and go on being written meanwhile: so there is no transaction around it all, and every step can
 * be taken again after a crash.
 */
export class DeliveryPages1763800000012 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // One message is one transaction: who must wait longer for the table lets others pass, and tries again later.
    await runner.query(`
      SET LOCAL lock_timeout = '2s';
      ALTER TABLE webhook_deliveries ADD COLUMN IF NOT EXISTS kind text;
      CREATE OR REPLACE FUNCTION take_kind_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT kind INTO NEW.kind FROM events WHERE id = NEW.event_id;
        RETURN NEW;
      END $$;
      -- For processes of the version before, which do not write the kind.
      CREATE OR REPLACE TRIGGER tg_webhook_deliveries_kind BEFORE INSERT ON webhook_deliveries FOR EACH ROW
      WHEN (NEW.kind IS NULL) EXECUTE FUNCTION take_kind_of_event()`);
    await tellKinds(runner);
    await runner.query(`
      SET LOCAL lock_timeout = '2s';
      ALTER TABLE webhook_deliveries DROP CONSTRAINT IF EXISTS ck_webhook_deliveries_kind;
      ALTER TABLE webhook_deliveries ADD CONSTRAINT ck_webhook_deliveries_kind CHECK (kind IS NOT NULL) NOT VALID`);
    await runner.query(`ALTER TABLE webhook_deliveries VALIDATE CONSTRAINT ck_webhook_deliveries_kind`);
    // What a crash left of it is no index yet.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_webhook_deliveries_page`);
    await runner.query(`
      CREATE INDEX CONCURRENTLY ix_webhook_deliveries_page ON webhook_deliveries (webhook_id, status, kind, (id + 0))`);
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_webhook_deliveries_log`);
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ix_webhook_deliveries_failed`);
  }

  /** TypeORM steps back in a transaction, which allows nothing of the above. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX ix_webhook_deliveries_log ON webhook_deliveries (webhook_id, id DESC)`);
    await runner.query(
      `CREATE INDEX ix_webhook_deliveries_failed ON webhook_deliveries (webhook_id, id DESC) WHERE status = 'failed'`,
    );
    await runner.query(`DROP TRIGGER tg_webhook_deliveries_kind ON webhook_deliveries`);
    await runner.query(`DROP FUNCTION take_kind_of_event`);
    await runner.query(`ALTER TABLE webhook_deliveries DROP COLUMN kind`);
  }
}

/** In the order of ids, as whatever else locks many deliveries. */
async function tellKinds(runner: QueryRunner): Promise<void> {
  for (let after: string | null = '0'; after !== null;) {
    const rows = (await runner.query(
      `WITH next AS (
         SELECT id, event_id, kind FROM webhook_deliveries WHERE id > $1 ORDER BY id LIMIT ${BATCH} FOR NO KEY UPDATE),
       told AS (
         UPDATE webhook_deliveries d SET kind = e.kind FROM next JOIN events e ON e.id = next.event_id
         WHERE d.id = next.id AND next.kind IS NULL)
       SELECT max(id) AS last FROM next`,
      [after],
    )) as { last: string | null }[];
    after = rows[0]?.last ?? null;
  }
}
