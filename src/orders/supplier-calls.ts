import type { Statement, Transaction } from '../database/database.js';
import { outcomeDetail, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { UnitRow } from './order.rows.js';

/** One request to a supplier about a unit, as the order's timeline tells it. */
export interface SupplierCall {
  unit: Pick<UnitRow, 'order_id' | 'item' | 'unit'>;
  kind: 'send' | 'inquiry';
  /** What came of it; or that it was not made, or that nobody is left who knows. */
  outcome: SupplierOutcome | { kind: 'withheld' | 'interrupted'; detail: string };
  durationMs: number;
  /** Which process made it. */
  process: string;
}

const RECORD: Statement = {
  name: 'supplier_calls.record',
  text: `INSERT INTO supplier_calls (order_id, item, unit, kind, outcome, detail, duration_ms, process, ended_at)
         SELECT *, date_trunc('milliseconds', statement_timestamp())
         FROM unnest($1::bigint[], $2::smallint[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::int[],
                     $8::text[])`,
};

export function recordSupplierCalls(tx: Transaction, calls: SupplierCall[]): void {
  if (calls.length === 0) return;
  tx.write(RECORD, [
    calls.map(({ unit }) => unit.order_id),
    calls.map(({ unit }) => unit.item),
    calls.map(({ unit }) => unit.unit),
    calls.map(({ kind }) => kind),
    calls.map(({ outcome }) => outcome.kind),
    calls.map(({ outcome }) => outcomeDetail(outcome)),
    calls.map(({ durationMs }) => Math.round(durationMs)),
    calls.map(({ process }) => process),
  ]);
}
