/**
 * SQL that locks tables for a change of the schema in the same transaction. Autovacuum takes a second to yield, so the first lock
 * lets writers go on. They wait behind the second one, which is given up soon: the process then tries again.
 */
export const lockForChange = (tables: string): string => `
  LOCK TABLE ${tables} IN SHARE UPDATE EXCLUSIVE MODE;
  SET LOCAL lock_timeout = '100ms';
  LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`;
