import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Suppliers with their settings, pauses and balances, and the products in their catalogues. */
export class Suppliers1763900000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createSuppliers(runner);
    await this.addSandbox(runner);
    await this.createBalances(runner);
    await this.createCatalogues(runner);
  }

  private async createSuppliers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE suppliers (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_suppliers PRIMARY KEY,
        code text NOT NULL CONSTRAINT uq_suppliers_code UNIQUE
          CONSTRAINT ck_suppliers_code CHECK (length(code) BETWEEN 1 AND 64),
        adapter text NOT NULL,
        base_url text NOT NULL,
        token_sealed bytea,
        timeout_ms integer NOT NULL CONSTRAINT ck_suppliers_timeout_ms CHECK (timeout_ms BETWEEN 1 AND 600000),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        credentials_sealed bytea,
        credential_names text[] NOT NULL DEFAULT '{}',
        options jsonb NOT NULL DEFAULT '{}',
        low_balance_micros bigint,
        balance_micros bigint,
        balance_currency text,
        balance_at timestamptz(3),
        max_in_flight integer CONSTRAINT ck_suppliers_max_in_flight CHECK (max_in_flight BETWEEN 1 AND 10000),
        pause_reason text CONSTRAINT ck_suppliers_pause_reason
          CHECK (pause_reason IN ('operator', 'credentials', 'deposit', 'ban')),
        pause_detail text,
        paused_at timestamptz(3),
        paused_balance_micros bigint,
        probes smallint NOT NULL DEFAULT 0,
        probe_at timestamptz(3),
        callback_token_sealed bytea,
        catalogue_read_at timestamptz(3),
        product_read_at timestamptz(3),
        balance_due_at timestamptz(3),
        account text NOT NULL DEFAULT '',
        purchases_due_at timestamptz(3),
        purchases_listed_at timestamptz(3),
        purchases_place jsonb,
        test_asked_until timestamptz(3),
        inquiry_asked_until timestamptz(3),
        CONSTRAINT ck_suppliers_balance CHECK (num_nulls(balance_micros, balance_currency, balance_at) IN (0, 3)),
        CONSTRAINT ck_suppliers_paused CHECK ((pause_reason IS NULL) = (paused_at IS NULL)),
        CONSTRAINT ck_suppliers_probe CHECK (probe_at IS NULL OR pause_reason IN ('credentials', 'deposit', 'ban')),
        CONSTRAINT ck_suppliers_sandbox CHECK ((id = 0) = (adapter = 'sandbox')),
        CONSTRAINT ck_suppliers_sandbox_goes_on CHECK (id <> 0 OR pause_reason IS NULL)
      )`);
  }

  /**
   * The built-in supplier of sandbox merchants. No sequence yields its id 0, so the id alone marks a unit as sandbox.
   */
  private async addSandbox(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO suppliers (id, code, adapter, base_url, timeout_ms) OVERRIDING SYSTEM VALUE
      VALUES (0, 'sandbox', 'sandbox', 'sandbox:', 1000)`);
    await runner.query(`
      CREATE TRIGGER tg_suppliers_sandbox BEFORE DELETE ON suppliers FOR EACH ROW
      WHEN (OLD.id = 0) EXECUTE FUNCTION skip_change()`);
  }

  /** Balances that suppliers reported in the last weeks. They show how fast the money is spent. */
  private async createBalances(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_balances (
        supplier_id integer NOT NULL CONSTRAINT fk_supplier_balances_supplier REFERENCES suppliers ON DELETE CASCADE,
        told_at timestamptz(3) NOT NULL,
        currency text NOT NULL,
        micros bigint NOT NULL,
        CONSTRAINT pk_supplier_balances PRIMARY KEY (supplier_id, told_at)
      )`);
  }

  private async createCatalogues(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_products (
        supplier_id integer NOT NULL
          CONSTRAINT fk_supplier_products_supplier REFERENCES suppliers ON DELETE CASCADE,
        sku text NOT NULL,
        name text NOT NULL,
        group_name text NOT NULL DEFAULT '',
        cost_micros bigint,
        cost_currency text,
        sellable boolean NOT NULL,
        stock integer,
        once_per_day boolean NOT NULL DEFAULT false,
        cut_off_from time,
        cut_off_to time,
        cut_off_zone text,
        note text,
        first_seen_at timestamptz(3) NOT NULL,
        last_seen_at timestamptz(3) NOT NULL,
        gone_at timestamptz(3),
        player_pattern text,
        CONSTRAINT pk_supplier_products PRIMARY KEY (supplier_id, sku),
        CONSTRAINT ck_supplier_products_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2)),
        CONSTRAINT ck_supplier_products_cut_off CHECK (num_nulls(cut_off_from, cut_off_to, cut_off_zone) IN (0, 3)),
        CONSTRAINT ck_supplier_products_cut_off_zone
          CHECK (timezone(cut_off_zone, '2000-01-01 00:00:00+00'::timestamptz) > '-infinity'::timestamp),
        CONSTRAINT ck_supplier_products_gone CHECK (gone_at IS NULL OR NOT sellable)
      )`);
    // Single products that are due to be read again.
    await runner.query(`
      CREATE TABLE supplier_product_reads (
        supplier_id integer NOT NULL
          CONSTRAINT fk_supplier_product_reads_supplier REFERENCES suppliers ON DELETE CASCADE,
        sku text NOT NULL,
        asked_at timestamptz(3) NOT NULL,
        due_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_supplier_product_reads PRIMARY KEY (supplier_id, sku)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_product_reads, supplier_products, supplier_balances, suppliers`);
  }
}
