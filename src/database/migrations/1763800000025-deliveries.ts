import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Products whose units are codes, what suppliers hand over for units, and webhooks that are told it. Undoing this loses
 * every code and serial number.
 */
export class Deliveries1763800000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE products
        ADD COLUMN kind text NOT NULL DEFAULT 'topup'
          CONSTRAINT ck_products_kind CHECK (kind IN ('topup', 'code'))`);
    await runner.query(`
      ALTER TABLE order_items
        ADD COLUMN kind text NOT NULL DEFAULT 'topup',
        ADD CONSTRAINT ck_order_items_kind CHECK (kind IN ('topup', 'code')) NOT VALID`);
    await runner.query(`ALTER TABLE webhooks ADD COLUMN include_deliveries boolean NOT NULL DEFAULT false`);
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE unit_deliveries`);
    await runner.query(`ALTER TABLE webhooks DROP COLUMN include_deliveries`);
    await runner.query(`ALTER TABLE order_items DROP COLUMN kind`);
    await runner.query(`ALTER TABLE products DROP COLUMN kind`);
  }
}
