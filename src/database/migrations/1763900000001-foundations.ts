import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Trigger functions that tables of several rooms use, and the view that TypeORM's own commands need. */
export class Foundations1763900000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
          USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_NAME;
      END $$`);
    await runner.query(`
      CREATE FUNCTION skip_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RETURN NULL;
      END $$`);
    // TypeORM looks here for the expression of each generated column. The table that TypeORM itself creates before the
    // first migration stores the name of the database, so it is wrong in a copy with another name. The view is right in
    // every copy.
    await runner.query(`DROP TABLE IF EXISTS typeorm_metadata`);
    await runner.query(`
      CREATE VIEW typeorm_metadata AS
      SELECT 'GENERATED_COLUMN' AS type, table_catalog::text AS database, table_schema::text AS schema,
        table_name::text AS "table", column_name::text AS name, generation_expression::text AS value
      FROM information_schema.columns WHERE is_generated = 'ALWAYS'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP VIEW typeorm_metadata`);
    await runner.query(`DROP FUNCTION skip_change, refuse_change`);
  }
}
