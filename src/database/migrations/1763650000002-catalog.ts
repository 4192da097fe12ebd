import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Catalog1763650000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE suppliers (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_suppliers PRIMARY KEY,
        code text NOT NULL CONSTRAINT uq_suppliers_code UNIQUE
          CONSTRAINT ck_suppliers_code CHECK (length(code) BETWEEN 1 AND 64),
        adapter text NOT NULL CONSTRAINT ck_suppliers_adapter CHECK (adapter IN ('http')),
        base_url text NOT NULL,
        token_sealed bytea,
        timeout_ms integer NOT NULL CONSTRAINT ck_suppliers_timeout_ms CHECK (timeout_ms BETWEEN 1 AND 600000),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE products (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_products PRIMARY KEY,
        sku text NOT NULL CONSTRAINT uq_products_sku UNIQUE
          CONSTRAINT ck_products_sku CHECK (length(sku) BETWEEN 1 AND 64),
        name text NOT NULL,
        price bigint NOT NULL CONSTRAINT ck_products_price_not_negative CHECK (price >= 0),
        supplier_id integer NOT NULL CONSTRAINT fk_products_supplier REFERENCES suppliers,
        supplier_sku text NOT NULL,
        requires_server boolean NOT NULL DEFAULT false,
        requires_character boolean NOT NULL DEFAULT false,
        max_quantity smallint NOT NULL DEFAULT 100
          CONSTRAINT ck_products_max_quantity CHECK (max_quantity BETWEEN 1 AND 100),
        active boolean NOT NULL DEFAULT true,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
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

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE merchant_prices, products, suppliers`);
  }
}
