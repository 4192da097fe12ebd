import type { MigrationInterface, QueryRunner } from 'typeorm';

const VERDICTS = [
  'settled',
  'woke',
  'contradicted',
  'nothing_new',
  'repeated',
  'unknown_reference',
  'ping',
  'unreadable',
  'refused',
];

/**
 * Single products of suppliers are read again when their price was refused or the supplier says that they changed; what
 * was bought is asked about again when its supplier calls; and a supplier that bans us is paused.
 */
export class ProductReads1763800000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE supplier_product_reads (
        supplier_id integer NOT NULL
          CONSTRAINT fk_supplier_product_reads_supplier REFERENCES suppliers ON DELETE CASCADE,
        sku text NOT NULL,
        asked_at timestamptz(3) NOT NULL,
        due_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_supplier_product_reads PRIMARY KEY (supplier_id, sku)
      )`);
    await runner.query(`ALTER TABLE suppliers ADD COLUMN product_read_at timestamptz(3)`);
    await runner.query(`
      CREATE TABLE attempt_checks (
        order_id bigint NOT NULL,
        item smallint NOT NULL,
        unit smallint NOT NULL,
        attempt smallint NOT NULL,
        due_at timestamptz(3) NOT NULL,
        CONSTRAINT pk_attempt_checks PRIMARY KEY (order_id, item, unit, attempt),
        CONSTRAINT fk_attempt_checks_attempt FOREIGN KEY (order_id, item, unit, attempt) REFERENCES unit_attempts
      )`);
    await this.setVerdicts(runner, [...VERDICTS, 'products']);
    await this.setPauses(runner, ['operator', 'credentials', 'deposit', 'ban'], ['credentials', 'deposit', 'ban']);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE suppliers SET pause_reason = 'operator', probe_at = NULL WHERE pause_reason = 'ban'`);
    await this.setPauses(runner, ['operator', 'credentials', 'deposit'], ['credentials', 'deposit']);
    await runner.query(`UPDATE supplier_callbacks SET verdict = 'nothing_new' WHERE verdict = 'products'`);
    await this.setVerdicts(runner, VERDICTS);
    await runner.query(`DROP TABLE attempt_checks`);
    await runner.query(`ALTER TABLE suppliers DROP COLUMN product_read_at`);
    await runner.query(`DROP TABLE supplier_product_reads`);
  }

  /** Later rows are checked, and earlier ones fit: the table may be large. */
  private setVerdicts(runner: QueryRunner, verdicts: string[]): Promise<unknown> {
    return runner.query(`
      ALTER TABLE supplier_callbacks DROP CONSTRAINT ck_supplier_callbacks_verdict,
        ADD CONSTRAINT ck_supplier_callbacks_verdict CHECK (verdict IN (${quoted(verdicts)})) NOT VALID`);
  }

  private setPauses(runner: QueryRunner, reasons: string[], probed: string[]): Promise<unknown> {
    return runner.query(`
      ALTER TABLE suppliers DROP CONSTRAINT ck_suppliers_pause_reason, DROP CONSTRAINT ck_suppliers_probe,
        ADD CONSTRAINT ck_suppliers_pause_reason CHECK (pause_reason IN (${quoted(reasons)})),
        ADD CONSTRAINT ck_suppliers_probe CHECK (probe_at IS NULL OR pause_reason IN (${quoted(probed)}))`);
  }
}

const quoted = (texts: string[]): string => texts.map((text) => `'${text}'`).join(', ');
