import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators who come by the company's sign-in, and the sign-ins that were begun there. */
export class CompanySignIn1763800000080 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE operators
        ADD COLUMN company_issuer text,
        ADD COLUMN company_subject text,
        ADD COLUMN company_link_until timestamptz(3),
        ADD CONSTRAINT uq_operators_company UNIQUE (company_issuer, company_subject),
        ADD CONSTRAINT ck_operators_company CHECK ((company_issuer IS NULL) = (company_subject IS NULL))`);
    await runner.query(`
      CREATE TABLE company_sign_ins (
        id_hash bytea CONSTRAINT pk_company_sign_ins PRIMARY KEY,
        next text NOT NULL,
        expires_at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE company_sign_ins`);
    await runner.query(`
      ALTER TABLE operators
        DROP COLUMN company_issuer,
        DROP COLUMN company_subject,
        DROP COLUMN company_link_until`);
  }
}
