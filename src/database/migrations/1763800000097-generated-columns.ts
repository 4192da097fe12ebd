import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where TypeORM's own commands look how a generated column is made, which they do for each that they find. TypeORM would
 * keep a table that says it for one database's name only; what PostgreSQL knows itself is also right in every copy.
 */
export class GeneratedColumns1763800000097 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // TypeORM makes its table before the first migration.
    await runner.query(`DROP TABLE IF EXISTS typeorm_metadata`);
    await runner.query(`
      CREATE VIEW typeorm_metadata AS
      SELECT 'GENERATED_COLUMN' AS type, table_catalog::text AS database, table_schema::text AS schema,
        table_name::text AS "table", column_name::text AS name, generation_expression::text AS value
      FROM information_schema.columns WHERE is_generated = 'ALWAYS'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP VIEW typeorm_metadata`);
  }
}
