import type { Transaction } from '../database/database.js';
import { costColumns, outcomeDetail, type AboutAnother, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import type { DeliveryToStore } from './codes/unit-deliveries.repository.js';
import type { UnitKey } from './order.rows.js';
import type { AnswerRow, SettledRow, SettledUnit, CallRecord } from './settlement.repository.js';

/**
 * The source of a supplier's answer. The answer settles the unit only if `attempt` is still the latest attempt.
 * - `call`: an answer to a call under a claim. A refusal settles the unit only if that claim is still the latest.
 * - `report`: a report about the whole attempt, in a callback or in the answer to an inquiry without a claim.
 * With `isAboutOneSend`, the supplier may sell each send. Then a refusal in a report settles the unit only if the attempt was sent
 * once, and the supplier's references tell its purchases apart.
 */
export type SupplierSource = { isAboutOneSend?: boolean } & (
  { kind: 'call'; attempt: number; claim: number } | { kind: 'report'; attempt: number }
);

/** Whether a refusal from this source says nothing about the attempt's other sends. */
export const isAboutOneSend = (by: SettleUnit['by']): boolean => by.kind === 'report' && by.isAboutOneSend === true;

/**
 * An operator who settles a unit, or a task that does so for the operators. `seenAttempt` is the attempt that the operator saw: if
 * another attempt has begun since, the unit is not settled. Without `seenAttempt`, the attempt does not matter.
 * - `operator`: decides a unit in `unknown` or `review`.
 * - `cancellation`: fails a unit that was certainly not bought.
 */
type OperatorSource =
  { kind: 'operator'; seenAttempt?: number | undefined } | { kind: 'cancellation'; seenAttempt?: number | undefined };

interface Command {
  key: UnitKey;
  merchantId: number;
  outcome: DefiniteOutcome;
  /**
   * Makes further writes in the same transaction, if this command settled its unit or sent it to review. If several commands have
   * the same function, it runs once, and `settled` are all commands with this function that did so.
   */
  alsoWrite?: (tx: Transaction, settled: SettleUnit[]) => void;
}

interface SupplierAnswer extends Command {
  by: SupplierSource;
  /** A success without its code settles nothing, but may contradict how the unit was settled. */
  lacksCode?: boolean;
  /** Set if the supplier reported the same before: a repetition does not count as a new report. */
  isRepeated?: boolean;
  /**
   * The supplier's reference by which an inquiry named the purchase. The answer is about this purchase, even if it contains a
   * different reference. Null for any other answer.
   */
  queriedAs?: string | null;
  /** The sealed codes and serial numbers that the supplier handed over. */
  delivered?: Buffer | null;
  /** The calls that led to this answer, for the order history. They are recorded even if the answer settles nothing. */
  calls: CallRecord[];
}

interface OperatorDecision extends Command {
  by: OperatorSource;
}

export type SettleUnit = SupplierAnswer | OperatorDecision;

export const isSupplierAnswer = (command: SettleUnit): command is SupplierAnswer =>
  command.by.kind === 'call' || command.by.kind === 'report';

/**
 * Returns the call that the unit's row can store in place of a row of `supplier_calls` ({@link SUPPLIER_CALLS}): the only call of
 * the answer, if it is a send that bought the unit and brought no further information.
 */
export function callInUnitRow(command: SettleUnit): CallRecord | null {
  if (!isSupplierAnswer(command) || command.by.kind !== 'call') return null;
  const [call, ...others] = command.calls;
  const isPlain = call?.kind === 'send' && call.outcome.kind === 'succeeded' && outcomeDetail(call.outcome) === null;
  return isPlain && others.length === 0 ? call : null;
}

/** @param isSold whether the same batch reports that an earlier attempt bought the unit. */
export const toSettledRow = (command: SettleUnit, isSold: boolean): SettledRow => {
  const { key, outcome, by } = command;
  const call = callInUnitRow(command);
  return {
    ...unitOf(key),
    state: outcome.kind,
    supplier_reference: supplierReferenceOf(outcome),
    failure_code: outcome.kind === 'failed' ? outcome.code : null,
    failure_message: outcome.kind === 'failed' ? outcome.message : null,
    attempt: 'attempt' in by ? by.attempt : null,
    claim: by.kind === 'call' ? by.claim : null,
    is_about_one_send: isAboutOneSend(by),
    is_sold: isSold,
    cancels: by.kind === 'cancellation',
    seen_attempt: ('seenAttempt' in by ? by.seenAttempt : null) ?? null,
    call_process: call?.process ?? null,
    call_duration_ms: call && Math.round(call.durationMs),
  };
};

export const toAnswerRow = (answer: SupplierAnswer): AnswerRow => {
  const { key, by, outcome, isRepeated = false, queriedAs = null, delivered = null } = answer;
  return {
    ...unitOf(key),
    attempt: by.attempt,
    state: outcome.kind,
    supplier_reference: outcome.supplierReference ?? null,
    detail: outcomeDetail(outcome),
    ...costColumns(outcome),
    is_news: !isRepeated,
    is_about_one_send: by.isAboutOneSend === true,
    queried_as: queriedAs,
    delivered_sealed: delivered,
  };
};

/**
 * The row for a second purchase under an attempt's reference, which a supplier reports in addition to the known purchase.
 * @param delivered its sealed codes and serial numbers.
 */
export const toBesidesRow = (
  { order_id, item, unit, attempt }: Pick<AnswerRow, 'order_id' | 'item' | 'unit' | 'attempt'>,
  { besides: { supplierReference, cost } }: AboutAnother,
  delivered: Buffer | null,
): AnswerRow => ({
  order_id,
  item,
  unit,
  attempt,
  state: 'besides',
  supplier_reference: supplierReference,
  detail: 'another purchase under the same reference',
  cost_micros: cost?.micros ?? null,
  cost_currency: cost?.currency ?? null,
  delivered_sealed: delivered,
});

/** The sealed deliveries to store. Only the first row of a unit is stored, so commands that settled their units come first. */
export const toDeliveriesToStore = (commands: SettleUnit[], settled: ReadonlySet<SettleUnit>): DeliveryToStore[] =>
  [...settled, ...commands.filter((command) => !settled.has(command))].flatMap((command) => {
    if (!isSupplierAnswer(command) || !command.delivered) return [];
    const { key, by, outcome, queriedAs = null, delivered: sealed } = command;
    const names = { supplier_reference: supplierReferenceOf(outcome), queried_as: queriedAs, is_other: false };
    return [{ ...unitOf(key), attempt: by.attempt, ...names, sealed }];
  });

const unitOf = ({ orderId, item, unit }: UnitKey): Pick<SettledUnit, 'order_id' | 'item' | 'unit'> => ({
  order_id: orderId,
  item,
  unit,
});

const supplierReferenceOf = (outcome: DefiniteOutcome): string | null =>
  outcome.kind === 'succeeded' ? outcome.supplierReference : null;
