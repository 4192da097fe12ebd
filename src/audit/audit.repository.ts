import { present } from '../core/invariant.js';
import type { Queryable } from '../database/database.js';
import { withLongTimeout } from '../database/snapshot.js';
import type { Check, Findings } from './check.sql.js';
import { ORDER_CHECKS } from './order-checks.sql.js';
import { UNIT_CHECKS } from './unit-checks.sql.js';
import { WALLET_CHECKS } from './wallet-checks.sql.js';

export type { Check, Findings } from './check.sql.js';

export const CHECKS: readonly Check[] = [...WALLET_CHECKS, ...ORDER_CHECKS, ...UNIT_CHECKS];

/** What a check finds in what `tx` sees. */
export async function carryOut(tx: Queryable, { name, sql }: Check): Promise<Findings> {
  const [findings] = await tx.query<Findings>(withLongTimeout({ name: `audit.${name}`, text: sql }));
  return present(findings, 'a check answers');
}
