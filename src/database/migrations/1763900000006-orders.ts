import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Orders with their items and units, and the codes that suppliers delivered. */
export class Orders1763900000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createOrders(runner);
    await this.createItems(runner);
    await this.createUnits(runner);
    await this.createPartsOfUnits(runner);
    await this.freezeWhatHasEnded(runner);
    await this.keepSandboxApart(runner);
    // A row changes a few times within seconds and then never again. Its dead versions at the front of the work indexes
    // would slow every claim, so vacuum removes them early.
    for (const table of ['orders', 'order_items', 'order_units']) {
      await runner.query(
        `ALTER TABLE ${table} SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000)`,
      );
    }
  }

  private async createOrders(runner: QueryRunner): Promise<void> {
    // The foreign key includes `sandbox`, so that an order and its merchant always have the same value.
    await runner.query(`
      CREATE TABLE orders (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_orders PRIMARY KEY,
        merchant_id integer NOT NULL,
        order_number text NOT NULL CONSTRAINT uq_orders_order_number UNIQUE,
        reference_id text NOT NULL,
        content_hash bytea NOT NULL,
        user_id text NOT NULL,
        server_id text,
        character_id text,
        status text NOT NULL DEFAULT 'pending'
          CONSTRAINT ck_orders_status CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
        subtotal_amount bigint NOT NULL CONSTRAINT ck_orders_subtotal_not_negative CHECK (subtotal_amount >= 0),
        discount_amount bigint NOT NULL CONSTRAINT ck_orders_discount_not_negative CHECK (discount_amount >= 0),
        total_amount bigint NOT NULL CONSTRAINT ck_orders_total_not_negative CHECK (total_amount >= 0),
        open_items smallint NOT NULL CONSTRAINT ck_orders_open_items CHECK (open_items >= 0),
        failure_code text,
        failure_message text,
        request_id text,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        metadata json,
        end_user_ip text,
        sandbox boolean NOT NULL DEFAULT false,
        CONSTRAINT fk_orders_merchant FOREIGN KEY (merchant_id, sandbox) REFERENCES merchants (id, sandbox),
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
    await runner.query(`CREATE INDEX ix_orders_user ON orders (merchant_id, user_id, created_at DESC, id DESC)`);
    await runner.query(`
      CREATE INDEX ix_orders_failure ON orders (failure_code, created_at DESC, id DESC)
      WHERE failure_code IS NOT NULL`);
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
        player_template text,
        expected_cost_micros bigint,
        max_cost_micros bigint,
        cost_currency text,
        baht_per_unit numeric(20, 10),
        kind text NOT NULL DEFAULT 'topup' CONSTRAINT ck_order_items_kind CHECK (kind IN ('topup', 'code')),
        passed_over jsonb,
        CONSTRAINT pk_order_items PRIMARY KEY (order_id, position),
        CONSTRAINT ck_order_items_split CHECK (completed_quantity + failed_quantity <= quantity),
        CONSTRAINT ck_order_items_end CHECK (
          (status IN ('completed', 'failed')) = (completed_quantity + failed_quantity = quantity)
          AND (status = 'completed') = (completed_quantity = quantity)),
        CONSTRAINT ck_order_items_failure CHECK ((status = 'failed') = (failure_code IS NOT NULL))
      )`);
    // The order's id is negated so that PostgreSQL uses these indexes for searches only. With few suppliers it would otherwise
    // use them to find the items of one order, and it would keep that slow plan when there are many suppliers.
    await runner.query(`CREATE INDEX ix_order_items_sku ON order_items (sku, (-order_id))`);
    await runner.query(`CREATE INDEX ix_order_items_supplier ON order_items (supplier_id, (-order_id))`);
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
        sent_to text,
        attempt smallint NOT NULL DEFAULT 0,
        attempt_claim integer NOT NULL DEFAULT 0,
        interrupted_claim text,
        CONSTRAINT pk_order_units PRIMARY KEY (order_id, item, unit),
        CONSTRAINT fk_order_units_item FOREIGN KEY (order_id, item) REFERENCES order_items,
        CONSTRAINT ck_order_units_due CHECK ((next_action_at IS NULL) = (state IN ('succeeded', 'failed', 'review'))),
        CONSTRAINT ck_order_units_failure CHECK ((state = 'failed') = (failure_code IS NOT NULL))
      )`);
    // Units of one batch are due at the same time. PostgreSQL would pack such equal keys into one index entry, and could mark
    // it as dead only when all of its rows are dead. With one entry for each row, claims skip the dead entries of
    // claimed units.
    await runner.query(`
      CREATE INDEX ix_order_units_due ON order_units (supplier_id, next_action_at) WITH (deduplicate_items = off)
      WHERE next_action_at IS NOT NULL`);
    await runner.query(`CREATE INDEX ix_order_units_review ON order_units (order_id) WHERE state = 'review'`);
    await runner.query(`CREATE INDEX ix_order_units_unknown ON order_units (unknown_since) WHERE state = 'unknown'`);
    // VOLATILE, so that the function sees rows that others committed while its statement waited for a lock.
    await runner.query(`
      CREATE FUNCTION units_in_flight(supplier integer) RETURNS bigint LANGUAGE sql VOLATILE AS $$
        SELECT count(*) FROM order_units
        WHERE supplier_id = supplier AND next_action_at > clock_timestamp() AND claimed_by IS NOT NULL
      $$`);
  }

  private async createPartsOfUnits(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unit_deliveries (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_unit_deliveries PRIMARY KEY,
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        attempt smallint NOT NULL,
        sealed bytea NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT fk_unit_deliveries_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units,
        CONSTRAINT uq_unit_deliveries_unit UNIQUE (order_id, item, unit)
      )`);
    // The operator that handles a unit in review: two operators must not call the supplier about the same unit.
    await runner.query(`
      CREATE TABLE review_claims (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        operator_id integer NOT NULL CONSTRAINT fk_review_claims_operator REFERENCES operators,
        claimed_until timestamptz(3) NOT NULL,
        CONSTRAINT pk_review_claims PRIMARY KEY (order_id, item, unit),
        CONSTRAINT fk_review_claims_unit FOREIGN KEY (order_id, item, unit) REFERENCES order_units
      )`);
  }

  /** The database refuses every change of a price, and every change of an order, item or unit that has ended. */
  private async freezeWhatHasEnded(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TRIGGER tg_orders_amounts BEFORE UPDATE OF subtotal_amount, discount_amount, total_amount ON orders
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('what an order costs never changes')`);
    await runner.query(`
      CREATE TRIGGER tg_order_items_prices BEFORE UPDATE OF quantity, list_price, unit_price ON order_items
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('what an item costs never changes')`);
    await runner.query(`
      CREATE TRIGGER tg_orders_ended BEFORE UPDATE OR DELETE ON orders FOR EACH ROW
      WHEN (OLD.status IN ('completed', 'failed')) EXECUTE FUNCTION refuse_change('it has ended')`);
    await runner.query(`
      CREATE TRIGGER tg_order_items_ended BEFORE UPDATE OR DELETE ON order_items FOR EACH ROW
      WHEN (OLD.status IN ('completed', 'failed')) EXECUTE FUNCTION refuse_change('it has ended')`);
    await runner.query(`
      CREATE TRIGGER tg_order_units_ended BEFORE UPDATE OR DELETE ON order_units FOR EACH ROW
      WHEN (OLD.state IN ('succeeded', 'failed')) EXECUTE FUNCTION refuse_change('it has ended')`);
    // A claim of a later attempt must write `attempt_claim`. Processes of versions with one attempt per unit do not write it.
    // They would send the later attempt under the reference of the first.
    await runner.query(`
      CREATE TRIGGER tg_order_units_later_attempt BEFORE UPDATE OF claim ON order_units FOR EACH ROW
      WHEN (NEW.attempt > 1 AND NEW.claim > OLD.claim AND NEW.attempt_claim <> NEW.claim)
      EXECUTE FUNCTION skip_change()`);
  }

  /**
   * Sandbox orders, and no other orders, are bought at the built-in supplier 0. For a row of a real supplier, PostgreSQL
   * evaluates only the conditions of the triggers. It calls no function and reads no table.
   */
  private async keepSandboxApart(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION assert_bought_in_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM order_items WHERE order_id = NEW.id AND supplier_id <> 0)
          OR EXISTS (SELECT FROM order_units WHERE order_id = NEW.id AND supplier_id <> 0)
        THEN
          RAISE EXCEPTION 'what a sandbox merchant orders is bought from the supplier that is built in'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query(`
      CREATE CONSTRAINT TRIGGER tg_orders_sandbox AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      WHEN (NEW.sandbox) EXECUTE FUNCTION assert_bought_in_sandbox()`);
    await runner.query(`
      CREATE FUNCTION assert_ordered_in_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NOT (SELECT sandbox FROM orders WHERE id = NEW.order_id) THEN
          RAISE EXCEPTION 'the supplier that is built in sells to sandbox merchants only'
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
        END IF;
        RETURN NULL;
      END $$`);
    await keepRowsInSandbox(runner, 'order_items');
    await keepRowsInSandbox(runner, 'order_units');
    // A claim of a sandbox unit must write a negative `attempt_claim`. Processes of versions without the built-in supplier do
    // not, so they cannot claim the unit and buy it elsewhere.
    await runner.query(`
      CREATE TRIGGER tg_order_units_sandbox_claim BEFORE UPDATE OF claim ON order_units FOR EACH ROW
      WHEN (NEW.supplier_id = 0 AND NEW.claim > OLD.claim AND NEW.attempt_claim <> -NEW.claim)
      EXECUTE FUNCTION skip_change()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE review_claims, unit_deliveries, order_units, order_items, orders`);
    await runner.query(`DROP FUNCTION units_in_flight, assert_ordered_in_sandbox, assert_bought_in_sandbox`);
  }
}

/** Rows of the built-in supplier must belong to sandbox orders. No row moves between it and a real supplier. */
export async function keepRowsInSandbox(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`
    CREATE TRIGGER tg_${table}_sandbox AFTER INSERT ON ${table} FOR EACH ROW
    WHEN (NEW.supplier_id = 0) EXECUTE FUNCTION assert_ordered_in_sandbox()`);
  await runner.query(`
    CREATE TRIGGER tg_${table}_stays_in_sandbox BEFORE UPDATE OF supplier_id ON ${table} FOR EACH ROW
    WHEN ((NEW.supplier_id = 0) <> (OLD.supplier_id = 0))
    EXECUTE FUNCTION refuse_change('a unit never moves into the sandbox, nor out of it')`);
}
