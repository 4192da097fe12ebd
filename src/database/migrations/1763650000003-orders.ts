import type { MigrationInterface, QueryRunner } from 'typeorm';

const AMOUNTS = ['subtotal', 'discount', 'total'];

export class Orders1763650000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createOrders(runner);
    await this.createItems(runner);
    await this.createUnits(runner);
    await this.freezeWhatHasEnded(runner);
    // Rows change a few times within seconds and then never again: dead versions at the front of the work indexes
    // would slow every claim, so they are removed early.
    for (const table of ['orders', 'order_items', 'order_units']) {
      await runner.query(
        `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`,
      );
    }
  }

  private async createOrders(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE orders (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_orders PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_orders_merchant REFERENCES merchants,
        order_number text NOT NULL CONSTRAINT uq_orders_order_number UNIQUE,
        reference_id text NOT NULL,
        content_hash bytea NOT NULL,
        user_id text NOT NULL,
        server_id text,
        character_id text,
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT ck_orders_status CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
        ${AMOUNTS.map((name) => `${name}_amount bigint NOT NULL CONSTRAINT ck_orders_${name}_not_negative CHECK (${name}_amount >= 0)`).join(',\n')},
        open_items smallint NOT NULL CONSTRAINT ck_orders_open_items CHECK (open_items >= 0),
        failure_code text,
        failure_message text,
        request_id text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT uq_orders_merchant_reference UNIQUE (merchant_id, reference_id),
        CONSTRAINT ck_orders_total CHECK (total_amount = subtotal_amount - discount_amount),
        CONSTRAINT ck_orders_failure CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
        CONSTRAINT ck_orders_open CHECK ((status IN ('completed', 'failed')) = (open_items = 0))
      )`);
    const newestFirst = '(merchant_id, created_at DESC, id DESC)';
    await runner.query(`CREATE INDEX ix_orders_newest ON orders ${newestFirst}`);
    await runner.query(`CREATE INDEX ix_orders_failed ON orders ${newestFirst} WHERE status = 'failed'`);
    await runner.query(
      `CREATE INDEX ix_orders_open ON orders (created_at, id) WHERE status IN ('pending', 'processing')`,
    );
  }

  private async createItems(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_items (
        order_id bigint NOT NULL CONSTRAINT fk_order_items_order REFERENCES orders,
        position smallint NOT NULL CONSTRAINT ck_order_items_position CHECK (position BETWEEN 1 AND 50),
        sku text NOT NULL,
        quantity smallint NOT NULL CONSTRAINT ck_order_items_quantity CHECK (quantity BETWEEN 1 AND 100),
        list_price bigint NOT NULL CONSTRAINT ck_order_items_list_price CHECK (list_price >= 0),
        unit_price bigint NOT NULL CONSTRAINT ck_order_items_unit_price CHECK (unit_price BETWEEN 0 AND list_price),
        supplier_id integer NOT NULL CONSTRAINT fk_order_items_supplier REFERENCES suppliers,
        supplier_sku text NOT NULL,
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT ck_order_items_status CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
        completed_quantity smallint NOT NULL DEFAULT 0
          CONSTRAINT ck_order_items_completed CHECK (completed_quantity >= 0),
        failed_quantity smallint NOT NULL DEFAULT 0 CONSTRAINT ck_order_items_failed CHECK (failed_quantity >= 0),
        failure_code text,
        failure_message text,
        CONSTRAINT pk_order_items PRIMARY KEY (order_id, position),
        CONSTRAINT ck_order_items_split CHECK (completed_quantity + failed_quantity <= quantity),
        CONSTRAINT ck_order_items_end CHECK (
          (status IN ('completed', 'failed')) = (completed_quantity + failed_quantity = quantity)
          AND (status = 'completed') = (completed_quantity = quantity)),
        CONSTRAINT ck_order_items_failure CHECK ((status = 'failed') = (failure_code IS NOT NULL))
      )`);
  }

  private async createUnits(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE order_units (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL CONSTRAINT ck_order_units_unit CHECK (unit BETWEEN 1 AND 100),
        supplier_id integer NOT NULL CONSTRAINT fk_order_units_supplier REFERENCES suppliers,
        state text NOT NULL DEFAULT 'queued' CONSTRAINT ck_order_units_state
          CHECK (state IN ('queued', 'sending', 'unknown', 'succeeded', 'failed', 'review')),
        next_action text NOT NULL DEFAULT 'send'
          CONSTRAINT ck_order_units_next_action CHECK (next_action IN ('send', 'inquire')),
        next_action_at timestamptz,
        claim integer NOT NULL DEFAULT 0,
        claimed_by text,
        sends integer NOT NULL DEFAULT 0,
        inquiries integer NOT NULL DEFAULT 0,
        first_sent_at timestamptz(3),
        last_sent_at timestamptz(3),
        unknown_since timestamptz(3),
        supplier_reference text,
        failure_code text,
        failure_message text,
        updated_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_order_units PRIMARY KEY (order_id, item, unit),
        CONSTRAINT fk_order_units_item FOREIGN KEY (order_id, item) REFERENCES order_items,
        CONSTRAINT ck_order_units_due CHECK ((next_action_at IS NULL) = (state IN ('succeeded', 'failed', 'review'))),
        CONSTRAINT ck_order_units_failure CHECK ((state = 'failed') = (failure_code IS NOT NULL))
      )`);
    await runner.query(`
      CREATE INDEX ix_order_units_due ON order_units (supplier_id, next_action_at) WHERE next_action_at IS NOT NULL`);
    await runner.query(`CREATE INDEX ix_order_units_review ON order_units (order_id) WHERE state = 'review'`);
    await runner.query(`
      CREATE TABLE supplier_calls (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_calls PRIMARY KEY,
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        kind text NOT NULL CONSTRAINT ck_supplier_calls_kind CHECK (kind IN ('send', 'inquiry')),
        outcome text NOT NULL,
        detail text,
        process text NOT NULL,
        duration_ms integer NOT NULL,
        ended_at timestamptz(3) NOT NULL,
        CONSTRAINT fk_supplier_calls_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units
      )`);
    await runner.query(`CREATE INDEX ix_supplier_calls_unit ON supplier_calls (order_id, item, unit)`);
  }

  /** A terminal order never changes again, and a unit is settled at most once: the database refuses, whoever asks. */
  private async freezeWhatHasEnded(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
          USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_orders_amounts BEFORE UPDATE OF subtotal_amount, discount_amount, total_amount ON orders
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('what an order costs never changes')`);
    await runner.query(`
      CREATE TRIGGER tg_order_items_prices BEFORE UPDATE OF quantity, list_price, unit_price ON order_items
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('what an item costs never changes')`);
    const ended: [string, string, string][] = [
      ['orders', 'status', `'completed', 'failed'`],
      ['order_items', 'status', `'completed', 'failed'`],
      ['order_units', 'state', `'succeeded', 'failed'`],
    ];
    for (const [table, column, values] of ended) {
      await runner.query(`
        CREATE TRIGGER tg_${table}_ended BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW
        WHEN (OLD.${column} IN (${values})) EXECUTE FUNCTION refuse_change('it has ended')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_calls, order_units, order_items, orders`);
    await runner.query(`DROP FUNCTION refuse_change`);
  }
}
