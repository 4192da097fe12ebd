import type { Transaction } from '../database/database.js';
import { costColumns, outcomeDetail, type AboutAnother, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import type { KeptRow } from './codes/unit-deliveries.repository.js';
import type { UnitKey } from './order.rows.js';
import type { AnswerRow, SettledRow, SettledUnit } from './settlement.sql.js';
import type { SupplierCall } from './supplier-calls.js';

export interface SettleUnit {
  key: UnitKey;
  merchantId: number;
  outcome: DefiniteOutcome;
  /**
   * The attempt that the supplier's word is about: it settles no other. Null where the operator decides, who may do so
   * in `unknown` and `review` only, unless it is a cancellation.
   */
  attempt: number | null;
  /** The claim whose call was answered: a refusal settles no other. Null where no call of ours was. */
  claim: number | null;
  /** The attempt that was looked at by whoever decides or cancels: another one is not decided about. Absent where any may be. */
  seenAttempt?: number | undefined;
  /** Whether the operator cancels: then only a unit of which certainly nothing was bought is settled. */
  cancels?: boolean;
  /** Whether it is a success that lacks its code: it settles nothing, and may contradict how the unit was settled. */
  lacksCode?: boolean;
  /** Whether the supplier said it before, in the same words: then it turns nothing. */
  isRepeated?: boolean;
  /** What the supplier handed over, sealed. */
  delivered?: Buffer | null;
  /** The supplier calls that decided it, for the timeline; none when the operator did. */
  calls: SupplierCall[];
  /**
   * Something else to write in the same transaction, if the unit is settled by this very command. Commands that share it
   * write it once, for those of them that settled their units.
   */
  alongside?: (tx: Transaction, settled: SettleUnit[]) => void;
}

/** A supplier's word. */
export type Answer = SettleUnit & { attempt: number };
export const isAnswer = (command: SettleUnit): command is Answer => command.attempt !== null;

export const toSettledRow = ({
  key,
  outcome,
  attempt,
  claim,
  cancels = false,
  seenAttempt,
}: SettleUnit): SettledRow => ({
  ...unitOf(key),
  state: outcome.kind,
  supplier_reference: supplierReferenceOf(outcome),
  failure_code: outcome.kind === 'failed' ? outcome.code : null,
  failure_message: outcome.kind === 'failed' ? outcome.message : null,
  attempt,
  claim,
  cancels,
  seen_attempt: seenAttempt ?? null,
});

export const toAnswerRow = ({ key, attempt, outcome, isRepeated = false, delivered = null }: Answer): AnswerRow => ({
  ...unitOf(key),
  attempt,
  state: outcome.kind,
  supplier_reference: supplierReferenceOf(outcome),
  detail: outcomeDetail(outcome),
  ...costColumns(outcome),
  is_news: !isRepeated,
  delivered_sealed: delivered,
});

/** A supplier tells of what it sold under an attempt's reference besides the purchase that we know there. */
export const toBesidesRow = (
  key: UnitKey,
  attempt: number,
  { besides: { supplierReference, cost } }: AboutAnother,
): AnswerRow => ({
  ...unitOf(key),
  attempt,
  state: 'besides',
  supplier_reference: supplierReference,
  detail: 'another purchase under the same reference',
  cost_micros: cost?.micros ?? null,
  cost_currency: cost?.currency ?? null,
});

/** What was handed over, the commands that settled their units first. */
export const toKeptRows = (commands: SettleUnit[], settled: ReadonlySet<SettleUnit>): KeptRow[] =>
  [...settled, ...commands.filter((command) => !settled.has(command))].flatMap(
    ({ key, attempt, outcome, delivered: sealed = null }) =>
      sealed === null || attempt === null
        ? []
        : [{ ...unitOf(key), attempt, supplier_reference: supplierReferenceOf(outcome), sealed }],
  );

const unitOf = ({ orderId, item, unit }: UnitKey): Pick<SettledUnit, 'order_id' | 'item' | 'unit'> => ({
  order_id: orderId,
  item,
  unit,
});

const supplierReferenceOf = (outcome: DefiniteOutcome): string | null =>
  outcome.kind === 'succeeded' ? outcome.supplierReference : null;
