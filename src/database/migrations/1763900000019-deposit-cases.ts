import type { MigrationInterface, QueryRunner } from 'typeorm';
import { lockForChange } from '../migration-locks.js';

const REASONS = `'WRONG_CURRENCY', 'AMBIGUOUS', 'DOUBLE', 'TOO_EARLY', 'UNMATCHED', 'LARGE', 'UNCONFIRMED', 'NOT_IN_STATEMENT',
                 'TAKEN_BACK', 'CONTRADICTION'`;

/**
 * Columns about payments and files that are not as expected, for operators. Processes of the previous version go on
 * beside new ones.
 */
export class DepositCases1763900000019 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(lockForChange('incoming_payments, statement_imports, deposit_channels'));
    await runner.query(`ALTER TABLE incoming_payments ADD COLUMN contradicted boolean NOT NULL DEFAULT false`);
    await setReasons(runner, `${REASONS}, 'WALLET_FULL'`);
    await runner.query(`UPDATE incoming_payments SET contradicted = true WHERE reason = 'CONTRADICTION'`);
    await runner.query(`ALTER TABLE statement_imports ADD COLUMN texts_of date`);
    await runner.query(`ALTER TABLE deposit_channels ADD COLUMN refused text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deposit_channels DROP COLUMN refused`);
    await runner.query(`ALTER TABLE statement_imports DROP COLUMN texts_of`);
    await runner.query(`UPDATE incoming_payments SET reason = 'LARGE' WHERE reason = 'WALLET_FULL'`);
    await setReasons(runner, REASONS);
    await runner.query(`ALTER TABLE incoming_payments DROP COLUMN contradicted`);
  }
}

const setReasons = (runner: QueryRunner, reasons: string): Promise<unknown> =>
  runner.query(`
    ALTER TABLE incoming_payments DROP CONSTRAINT ck_incoming_payments_reason,
      ADD CONSTRAINT ck_incoming_payments_reason CHECK (reason IN (${reasons}))`);
