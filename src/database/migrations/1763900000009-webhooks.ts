import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks, the events that the service sends to merchants, and the deliveries of these events. */
export class Webhooks1763900000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createWebhooks(runner);
    await this.createEvents(runner);
    await this.createDeliveries(runner);
    await this.createAttempts(runner);
  }

  private async createWebhooks(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_webhooks PRIMARY KEY,
        merchant_id integer NOT NULL CONSTRAINT fk_webhooks_merchant REFERENCES merchants,
        url text NOT NULL,
        events text[] NOT NULL CONSTRAINT ck_webhooks_events CHECK (
          cardinality(events) > 0 AND events <@ ARRAY['order.completed', 'order.failed', 'wallet.low_balance']),
        secret_sealed bytea NOT NULL,
        secret_hint text NOT NULL,
        previous_secret_sealed bytea,
        previous_secret_expires_at timestamptz(3),
        status text NOT NULL DEFAULT 'active' CONSTRAINT ck_webhooks_status CHECK (status IN ('active', 'inactive')),
        max_retries smallint NOT NULL DEFAULT 3
          CONSTRAINT ck_webhooks_max_retries CHECK (max_retries BETWEEN 0 AND 10),
        retry_delay integer NOT NULL DEFAULT 60
          CONSTRAINT ck_webhooks_retry_delay CHECK (retry_delay BETWEEN 1 AND 86400),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        waiting_is_stale boolean NOT NULL DEFAULT false,
        include_deliveries boolean NOT NULL DEFAULT false,
        CONSTRAINT ck_webhooks_previous_secret
          CHECK ((previous_secret_sealed IS NULL) = (previous_secret_expires_at IS NULL))
      )`);
    await runner.query(`CREATE INDEX ix_webhooks_merchant ON webhooks (merchant_id) WHERE deleted_at IS NULL`);
    await runner.query(`CREATE INDEX ix_webhooks_stale ON webhooks (id) WHERE waiting_is_stale`);
  }

  private async createEvents(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE events (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_events PRIMARY KEY,
        public_id text NOT NULL CONSTRAINT uq_events_public_id UNIQUE,
        merchant_id integer NOT NULL CONSTRAINT fk_events_merchant REFERENCES merchants,
        kind text NOT NULL CONSTRAINT ck_events_kind
          CHECK (kind IN ('order.completed', 'order.failed', 'wallet.low_balance', 'webhook.test')),
        order_id bigint CONSTRAINT fk_events_order REFERENCES orders,
        reference_id text,
        body text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT ck_events_order CHECK ((kind IN ('webhook.test', 'wallet.low_balance')) = (order_id IS NULL))
      )`);
    // An order ends once, so it has one terminal event.
    await runner.query(`CREATE UNIQUE INDEX uq_events_order ON events (order_id) WHERE order_id IS NOT NULL`);
    // For pages of a merchant's events with any filter. `id + 0` keeps it away from searches for an event by its id.
    await runner.query(`CREATE INDEX ix_events_page ON events (merchant_id, kind, (id + 0))`);
    // The audit must not report events as missing that retention removed.
    await runner.query(`
      CREATE TABLE event_retention (
        only_row boolean NOT NULL DEFAULT true CONSTRAINT pk_event_retention PRIMARY KEY
          CONSTRAINT ck_event_retention_only_row CHECK (only_row),
        removed_until timestamptz NOT NULL
      )`);
    await runner.query(`INSERT INTO event_retention (removed_until) VALUES ('-infinity')`);
  }

  private async createDeliveries(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_deliveries (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_webhook_deliveries PRIMARY KEY,
        webhook_id integer NOT NULL CONSTRAINT fk_webhook_deliveries_webhook REFERENCES webhooks,
        event_id bigint NOT NULL CONSTRAINT fk_webhook_deliveries_event REFERENCES events,
        status text NOT NULL DEFAULT 'pending' CONSTRAINT ck_webhook_deliveries_status
          CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled')),
        automatic boolean NOT NULL DEFAULT true,
        attempt_count integer NOT NULL DEFAULT 0,
        is_retry boolean NOT NULL GENERATED ALWAYS AS (attempt_count > 0) STORED,
        due_at timestamptz,
        leased_until timestamptz,
        attempt_started_at timestamptz(3),
        attempt_ended_at timestamptz,
        retry_after_at timestamptz,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        claimed_by text,
        kind text CONSTRAINT ck_webhook_deliveries_kind CHECK (kind IS NOT NULL),
        CONSTRAINT uq_webhook_deliveries_event_webhook UNIQUE (event_id, webhook_id),
        CONSTRAINT ck_webhook_deliveries_lease CHECK ((leased_until IS NULL) = (attempt_started_at IS NULL)),
        CONSTRAINT ck_webhook_deliveries_work CHECK (due_at IS NULL OR leased_until IS NULL),
        CONSTRAINT ck_webhook_deliveries_pending
          CHECK ((status = 'pending') = (due_at IS NOT NULL OR leased_until IS NOT NULL))
      )`);
    // A delivery that is written without a kind gets the kind of its event.
    await runner.query(`
      CREATE FUNCTION take_kind_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT kind INTO NEW.kind FROM events WHERE id = NEW.event_id;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER tg_webhook_deliveries_kind BEFORE INSERT ON webhook_deliveries FOR EACH ROW
      WHEN (NEW.kind IS NULL) EXECUTE FUNCTION take_kind_of_event()`);
    // Without packing of equal keys, as `ix_order_units_due`, for the same reason.
    await runner.query(`
      CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, is_retry, due_at)
      WITH (deduplicate_items = off) WHERE due_at IS NOT NULL`);
    await runner.query(`
      CREATE INDEX ix_webhook_deliveries_leased ON webhook_deliveries (webhook_id, leased_until)
      WITH (deduplicate_items = off) WHERE leased_until IS NOT NULL`);
    // For pages of a webhook's log with any filter. `id + 0` keeps both away from searches for a delivery by its id: while
    // the table is empty, PostgreSQL finds any index with an id in it as good as the primary key, and keeps that plan.
    await runner.query(`
      CREATE INDEX ix_webhook_deliveries_page ON webhook_deliveries (webhook_id, status, kind, (id + 0))`);
    // For lists of the deliveries of all webhooks that failed or were cancelled: they are few.
    await runner.query(`
      CREATE INDEX ix_webhook_deliveries_undelivered ON webhook_deliveries (status, kind, (id + 0))
      WHERE status IN ('failed', 'cancelled')`);
  }

  private async createAttempts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_attempts (
        delivery_id bigint NOT NULL CONSTRAINT fk_webhook_attempts_delivery REFERENCES webhook_deliveries,
        number integer NOT NULL,
        started_at timestamptz(3) NOT NULL,
        duration_ms integer NOT NULL,
        response_status integer,
        error text CONSTRAINT ck_webhook_attempts_error CHECK (error IN
          ('refused_address', 'dns', 'connect', 'tls', 'timeout', 'reset', 'protocol', 'interrupted')),
        response_body text,
        CONSTRAINT pk_webhook_attempts PRIMARY KEY (delivery_id, number)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE webhook_attempts, webhook_deliveries, event_retention, events, webhooks`);
    await runner.query(`DROP FUNCTION take_kind_of_event`);
  }
}
