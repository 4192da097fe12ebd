import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Products are bought at offers, of which a product may have several or none. `products.supplier_id` and `supplier_sku`
 * mirror its first offer for the version before, which reads and writes them beside this one.
 */
export class Offers1763800000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Held until the end: no product is written between the copy of the offers and the triggers.
    await runner.query(`
      ALTER TABLE products
        ALTER COLUMN supplier_id DROP NOT NULL,
        ALTER COLUMN supplier_sku DROP NOT NULL,
        ADD CONSTRAINT ck_products_first_offer CHECK (num_nulls(supplier_id, supplier_sku) IN (0, 2))`);
    await createTables(runner);
    await runner.query(`
      INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku)
      SELECT id, supplier_id, supplier_sku FROM products ORDER BY id`);
    await keepOffersInStep(runner);
    await keepMirrorInStep(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE supplier_offers, supplier_products, fx_rates`);
    await runner.query(`DROP TRIGGER tg_products_first_offer ON products`);
    await runner.query(`DROP FUNCTION set_first_offer, mirror_first_offer`);
    // Refused while a product has no offer: the operator gives it one first, because the version before needs it.
    await runner.query(`
      ALTER TABLE products
        DROP CONSTRAINT ck_products_first_offer,
        ALTER COLUMN supplier_id SET NOT NULL,
        ALTER COLUMN supplier_sku SET NOT NULL`);
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE supplier_offers (
      id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_supplier_offers PRIMARY KEY,
      product_id integer NOT NULL CONSTRAINT fk_supplier_offers_product REFERENCES products,
      supplier_id integer NOT NULL CONSTRAINT fk_supplier_offers_supplier REFERENCES suppliers,
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
      CONSTRAINT uq_supplier_offers UNIQUE (product_id, supplier_id, supplier_sku),
      CONSTRAINT ck_supplier_offers_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2))
    )`);
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
      CONSTRAINT pk_supplier_products PRIMARY KEY (supplier_id, sku),
      CONSTRAINT ck_supplier_products_cost CHECK (num_nulls(cost_micros, cost_currency) IN (0, 2)),
      CONSTRAINT ck_supplier_products_cut_off CHECK (num_nulls(cut_off_from, cut_off_to, cut_off_zone) IN (0, 3)),
      CONSTRAINT ck_supplier_products_cut_off_zone
        CHECK (timezone(cut_off_zone, '2000-01-01 00:00:00+00'::timestamptz) > '-infinity'::timestamp)
    )`);
  await runner.query(`
    CREATE TABLE fx_rates (
      currency text NOT NULL CONSTRAINT ck_fx_rates_currency CHECK (currency ~ '^[A-Z]{3}$' AND currency <> 'THB'),
      baht_per_unit numeric(20,10) NOT NULL CONSTRAINT ck_fx_rates_baht_per_unit CHECK (baht_per_unit > 0),
      valid_from timestamptz(3) NOT NULL,
      source text NOT NULL,
      CONSTRAINT pk_fx_rates PRIMARY KEY (currency, valid_from)
    )`);
}

/**
 * A supplier that is written into a product becomes its offer of priority 1, in place of the one that the product had
 * there. At the same supplier, the player is written and the price guarded as before; the cost was another SKU's.
 */
async function keepOffersInStep(runner: QueryRunner): Promise<void> {
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

/** Of offers with one priority, the product's own columns name the one that they named before, else the oldest. */
async function keepMirrorInStep(runner: QueryRunner): Promise<void> {
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
