import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Products, the offers that fulfil them, merchants' own prices, and exchange rates. */
export class Catalog1763900000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createProducts(runner);
    await createOffers(runner);
    await setFirstOffer(runner);
    await mirrorFirstOffer(runner);
    await runner.query(`
      CREATE TABLE fx_rates (
        currency text NOT NULL CONSTRAINT ck_fx_rates_currency CHECK (currency ~ '^[A-Z]{3}$' AND currency <> 'THB'),
        baht_per_unit numeric(20,10) NOT NULL CONSTRAINT ck_fx_rates_baht_per_unit CHECK (baht_per_unit > 0),
        valid_from timestamptz(3) NOT NULL,
        source text NOT NULL,
        CONSTRAINT pk_fx_rates PRIMARY KEY (currency, valid_from)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE fx_rates, supplier_offers, merchant_prices, products`);
    await runner.query(`DROP FUNCTION mirror_first_offer, set_first_offer`);
  }
}

/** A product has any number of offers. `supplier_id` and `supplier_sku` mirror the first of them by priority. */
async function createProducts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE products (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_products PRIMARY KEY,
      sku text NOT NULL CONSTRAINT uq_products_sku UNIQUE
        CONSTRAINT ck_products_sku CHECK (length(sku) BETWEEN 1 AND 64),
      name text NOT NULL,
      price bigint NOT NULL CONSTRAINT ck_products_price_not_negative CHECK (price >= 0),
      supplier_id integer CONSTRAINT fk_products_supplier REFERENCES suppliers,
      supplier_sku text,
      requires_server boolean NOT NULL DEFAULT false,
      requires_character boolean NOT NULL DEFAULT false,
      max_quantity smallint NOT NULL DEFAULT 100
        CONSTRAINT ck_products_max_quantity CHECK (max_quantity BETWEEN 1 AND 100),
      active boolean NOT NULL DEFAULT true,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      kind text NOT NULL DEFAULT 'topup' CONSTRAINT ck_products_kind CHECK (kind IN ('topup', 'code')),
      player_check text CONSTRAINT ck_products_player_check CHECK (length(player_check) BETWEEN 1 AND 128),
      CONSTRAINT ck_products_first_offer CHECK (num_nulls(supplier_id, supplier_sku) IN (0, 2))
    )`);
  await runner.query(`
    CREATE TABLE merchant_prices (
      merchant_id integer NOT NULL CONSTRAINT fk_merchant_prices_merchant REFERENCES merchants,
      product_id integer NOT NULL CONSTRAINT fk_merchant_prices_product REFERENCES products,
      price bigint NOT NULL CONSTRAINT ck_merchant_prices_price_not_negative CHECK (price >= 0),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT pk_merchant_prices PRIMARY KEY (merchant_id, product_id)
    )`);
}

async function createOffers(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE supplier_offers (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_offers PRIMARY KEY,
      product_id integer NOT NULL CONSTRAINT fk_supplier_offers_product REFERENCES products,
      supplier_id integer NOT NULL CONSTRAINT fk_supplier_offers_supplier REFERENCES suppliers
        CONSTRAINT ck_supplier_offers_sandbox CHECK (supplier_id <> 0),
      supplier_sku text NOT NULL,
      priority smallint NOT NULL DEFAULT 1
        CONSTRAINT ck_supplier_offers_priority CHECK (priority BETWEEN 1 AND 1000),
      active boolean NOT NULL DEFAULT true,
      off_reason text,
      player_template text,
      guard_percent numeric(5,2) NOT NULL DEFAULT 5
        CONSTRAINT ck_supplier_offers_guard_percent CHECK (guard_percent >= 0),
      cost_micros bigint CONSTRAINT ck_supplier_offers_cost_not_negative CHECK (cost_micros >= 0),
      cost_currency text,
      cost_at timestamptz(3),
      once_per_day boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      off_by_fault boolean NOT NULL DEFAULT false,
      CONSTRAINT uq_supplier_offers UNIQUE (product_id, supplier_id, supplier_sku),
      CONSTRAINT ck_supplier_offers_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2)),
      CONSTRAINT ck_supplier_offers_off_by_fault CHECK (NOT (off_by_fault AND active))
    )`);
}

/**
 * If a process writes another supplier or supplier SKU into a product, they become the product's offer of priority 1,
 * unless they already are an offer of the first priority. The offer that the product mirrored before is deleted if its
 * priority is 1. If it has the same supplier, a new offer copies its player template and `guard_percent`, but not its
 * cost, which belongs to the other SKU.
 */
async function setFirstOffer(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION set_first_offer() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.supplier_id IS NULL OR EXISTS (
        SELECT FROM supplier_offers
        WHERE (product_id, supplier_id, supplier_sku) = (NEW.id, NEW.supplier_id, NEW.supplier_sku)
          AND priority = (SELECT min(priority) FROM supplier_offers WHERE product_id = NEW.id)
      ) THEN RETURN NULL;
      END IF;
      INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, player_template, guard_percent)
      SELECT NEW.id, NEW.supplier_id, NEW.supplier_sku, former.player_template, coalesce(former.guard_percent, 5)
      FROM (VALUES (1)) AS one
      LEFT JOIN supplier_offers former ON former.product_id = NEW.id AND former.supplier_id = NEW.supplier_id
        AND former.supplier_id = OLD.supplier_id AND former.supplier_sku = OLD.supplier_sku
      ON CONFLICT ON CONSTRAINT uq_supplier_offers DO UPDATE SET priority = 1, updated_at = now();
      DELETE FROM supplier_offers
      WHERE (product_id, supplier_id, supplier_sku, priority) = (NEW.id, OLD.supplier_id, OLD.supplier_sku, 1)
        AND (supplier_id, supplier_sku) <> (NEW.supplier_id, NEW.supplier_sku);
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE TRIGGER tg_products_first_offer
    AFTER INSERT OR UPDATE OF supplier_id, supplier_sku ON products
    FOR EACH ROW EXECUTE FUNCTION set_first_offer()`);
}

/** Of several offers with the first priority, the product keeps the one that it already mirrors, else the oldest. */
async function mirrorFirstOffer(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION mirror_first_offer() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE products SET supplier_id = first.supplier_id, supplier_sku = first.supplier_sku, updated_at = now()
      FROM products was LEFT JOIN LATERAL (
        SELECT o.supplier_id, o.supplier_sku FROM supplier_offers o WHERE o.product_id = was.id
        ORDER BY o.priority,
                 (o.supplier_id, o.supplier_sku) IS DISTINCT FROM (was.supplier_id, was.supplier_sku), o.id
        LIMIT 1) first ON true
      WHERE products.id = was.id AND was.id = coalesce(NEW.product_id, OLD.product_id)
        AND (products.supplier_id, products.supplier_sku) IS DISTINCT FROM (first.supplier_id, first.supplier_sku);
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE TRIGGER tg_supplier_offers_mirror
    AFTER INSERT OR DELETE OR UPDATE OF supplier_id, supplier_sku, priority ON supplier_offers
    FOR EACH ROW EXECUTE FUNCTION mirror_first_offer()`);
}
