import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Statement } from '../../database/database.js';
import { atOneMoment } from '../snapshot.js';
import type { Check, Findings } from './check.js';
import { ORDER_CHECKS } from './order-checks.js';
import { UNIT_CHECKS } from './unit-checks.js';
import { WALLET_CHECKS } from './wallet-checks.js';

const CHECKS: readonly Check[] = [...WALLET_CHECKS, ...ORDER_CHECKS, ...UNIT_CHECKS];

/** What became of one check, with the figures that it saw. */
export interface CheckResult {
  name: string;
  ok: boolean;
  detail: string;
}

/** An audit reads everything there is, which takes longer than any request may. */
const TIMEOUT_MS = 3_600_000;

/** Checks the books: every rule with one statement, all on the same moment, beside whatever else is running. */
@Injectable()
export class AuditService {
  constructor(private readonly database: Database) {}

  run(): Promise<CheckResult[]> {
    return atOneMoment(this.database, runChecks);
  }
}

/** Every check, in turn, on what `tx` sees. */
export async function runChecks(tx: Queryable): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    const [findings] = await tx.query<Findings>(patient(check));
    if (!findings) throw new Error(`check ${check.name} answered nothing`);
    results.push(toResult(check, findings));
  }
  return results;
}

/** The check's statement, with its own deadline instead of the pool's. */
const patient = ({ name, sql }: Check): Statement & { query_timeout: number } => ({
  name: `audit.${name}`,
  text: sql,
  query_timeout: TIMEOUT_MS,
});

function toResult({ name, describe }: Check, findings: Findings): CheckResult {
  const { wrong, example } = findings;
  const ok = wrong === 0n;
  return { name, ok, detail: describe(findings) + (ok ? '' : `; ${wrong} wrong, such as ${example}`) };
}
