import { AuditRepository } from '../../src/accounting/audit/audit.repository.js';
import { AuditService, type CheckResult } from '../../src/accounting/audit/audit.service.js';
import { ClosingsRepository } from '../../src/accounting/audit/closings.repository.js';
import type { Queryable, Statement } from '../../src/database/database.js';
import { ReplicaReadsService } from '../../src/database/replica-reads.service.js';
import type { TestStack } from './stack.js';

/** The audit, on the connections of a stack's API. */
export const auditServiceOf = (stack: TestStack): AuditService =>
  new AuditService(stack.api.get(ReplicaReadsService), new AuditRepository(), new ClosingsRepository(stack.database));

/** As {@link failuresOf}. @returns only the names of the checks. */
export async function checksThatSee(
  stack: TestStack,
  statements: string[],
  ...ways: { full?: boolean }[]
): Promise<string[][]> {
  return (await failuresOf(stack, statements, ...ways)).map((failures) => failures.map(({ name }) => name));
}

/** Plants rows that the database would refuse, runs each kind of audit, and removes them. @returns the checks that fail. */
export async function failuresOf(
  stack: TestStack,
  statements: string[],
  ...ways: { full?: boolean }[]
): Promise<CheckResult[][]> {
  const client = await stack.database.pool.connect();
  const tx: Queryable = {
    query: async <Row extends object>({ text }: Statement, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows,
  };
  try {
    // Triggers are off. A test that must break a constraint drops it.
    await client.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
    for (const statement of statements) await client.query(statement);
    const seen: CheckResult[][] = [];
    for (const way of ways) {
      const { checks } = await auditServiceOf(stack).check((read) => read(tx), way);
      seen.push(checks.filter(({ ok }) => !ok));
    }
    return seen;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}
