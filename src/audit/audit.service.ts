import { Injectable } from '@nestjs/common';
import type { Queryable } from '../database/database.js';
import { ReplicaReads } from '../database/replica-reads.js';
import { inSnapshot } from '../database/snapshot.js';
import { carryOut, CHECKS, type Check, type Findings } from './audit.repository.js';

/** What became of one check, with the figures that it saw. */
export interface CheckResult {
  name: string;
  ok: boolean;
  detail: string;
}

type OnProgress = (done: number, total: number, check: string) => void;

/** Checks the books: every rule with one statement, all on the same moment, beside whatever else is running. */
@Injectable()
export class AuditService {
  constructor(private readonly reads: ReplicaReads) {}

  /** @param onProgress is told how many checks are done, and which one comes now. */
  run(onProgress?: OnProgress): Promise<CheckResult[]> {
    return inSnapshot(this.reads, (tx) => runChecks(tx, onProgress));
  }
}

/** Every check, in turn, on what `tx` sees. */
export async function runChecks(tx: Queryable, onProgress?: OnProgress): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    onProgress?.(results.length, CHECKS.length, check.name);
    results.push(toResult(check, await carryOut(tx, check)));
  }
  return results;
}

function toResult({ name, describe }: Check, findings: Findings): CheckResult {
  const { wrong, example } = findings;
  const ok = wrong === 0n;
  return { name, ok, detail: describe(findings) + (ok ? '' : `; ${wrong} wrong, such as ${example}`) };
}
