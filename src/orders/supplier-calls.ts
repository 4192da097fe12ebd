import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { UnitRow } from './order.rows.js';

/** A call to a supplier about a unit, or from it, as the order's timeline tells it. */
export interface SupplierCall {
  /** Of which attempt. */
  unit: Pick<UnitRow, 'order_id' | 'item' | 'unit'> & { attempt: number };
  kind: 'send' | 'inquiry' | 'callback';
  /** What came of it; or that it was not made, or that its process died before recording it. */
  outcome: SupplierOutcome | { kind: 'withheld' | 'interrupted'; detail: string };
  durationMs: number;
  /** Which process made or took it. */
  process: string;
}
