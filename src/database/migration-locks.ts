/**
 * SQL that locks tables for a change of the schema in the same transaction. Autovacuum yields its lock only after a
 * second. The first lock waits for that while writers go on. Writers wait behind the second lock, so PostgreSQL gives
 * it up after 100 ms: the process then runs the migration again.
 */
export const lockForChange = (tables: string): string => `
  LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE;
  SET LOCAL lock_timeout = '100ms';
  LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`;
