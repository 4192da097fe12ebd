import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log. Only operators' actions write it, so that no order pays for its indexes. */
export class AuditLog1763900000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE operator_actions (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT pk_operator_actions PRIMARY KEY,
        operator text NOT NULL,
        action text NOT NULL,
        merchant_id integer CONSTRAINT fk_operator_actions_merchant REFERENCES merchants,
        order_id bigint CONSTRAINT fk_operator_actions_order REFERENCES orders,
        detail jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        operator_id integer CONSTRAINT fk_operator_actions_operator REFERENCES operators,
        source text NOT NULL DEFAULT 'cli'
          CONSTRAINT ck_operator_actions_source CHECK (source IN ('cli', 'console')),
        ip text,
        request_id text,
        idempotency_key text
      )`);
    await runner.query(`
      CREATE TRIGGER tg_operator_actions_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change('the record of operator actions is never changed')`);
    await runner.query(`
      CREATE UNIQUE INDEX uq_operator_actions_idempotency_key ON operator_actions (operator_id, idempotency_key)
      WHERE idempotency_key IS NOT NULL`);
    await runner.query(`CREATE INDEX ix_operator_actions_created_at ON operator_actions (created_at)`);
    await runner.query(`CREATE INDEX ix_operator_actions_operator ON operator_actions (operator, id)`);
    await runner.query(`CREATE INDEX ix_operator_actions_action ON operator_actions (action, id)`);
    await runner.query(`
      CREATE INDEX ix_operator_actions_merchant ON operator_actions (merchant_id, id DESC)
      WHERE merchant_id IS NOT NULL`);
    await runner.query(
      `CREATE INDEX ix_operator_actions_order ON operator_actions (order_id) WHERE order_id IS NOT NULL`,
    );
    // Also finds a product in an entry about many products, which one file or one percentage changed.
    await runner.query(`
      CREATE INDEX ix_operator_actions_product ON operator_actions USING gin (detail jsonb_path_ops)
      WHERE action IN ('product.set', 'product.import', 'offer.set', 'offer.remove', 'price.set', 'price.clear',
        'price.import', 'price.adjust')`);
    await runner.query(`
      CREATE INDEX ix_operator_actions_supplier
      ON operator_actions ((coalesce(detail ->> 'code', detail ->> 'supplier')), id)
      WHERE action IN ('supplier.set', 'supplier.remove', 'supplier.pause', 'supplier.resume', 'supplier.sync',
        'offer.set', 'offer.remove')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE operator_actions`);
  }
}
