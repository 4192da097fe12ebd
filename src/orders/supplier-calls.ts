import type { Statement, Transaction } from '../database/database.js';
import type { UnitKey } from './order.rows.js';

/** One request to a supplier about a unit, as the order's timeline tells it. */
export interface SupplierCall {
  key: UnitKey;
  kind: 'send' | 'inquiry';
  /** A word for what came of it, such as `succeeded`, `processing` or `timeout`. */
  outcome: string;
  detail: string | null;
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
    calls.map(({ key }) => key.orderId),
    calls.map(({ key }) => key.item),
    calls.map(({ key }) => key.unit),
    calls.map(({ kind }) => kind),
    calls.map(({ outcome }) => outcome),
    calls.map(({ detail }) => detail),
    calls.map(({ durationMs }) => Math.round(durationMs)),
    calls.map(({ process }) => process),
  ]);
}
