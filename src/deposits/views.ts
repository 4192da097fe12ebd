import { bahtOrNull, formatBaht } from '../core/money.js';
import { pick } from '../core/members.js';
import type { DepositChannel } from './deposit-channel.entity.js';
import { toDepositDto } from './deposit.mapper.js';
import type { DepositRow } from './deposits.repository.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import type { PaymentRow } from './payments.repository.js';
import type { ImportResult } from './statements/statements.service.js';
import type { ImportRow } from './statements/statements.repository.js';

// What operators see. Members have their names of the command line's JSON.

const momentOrNull = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export type View = Record<string, unknown>;

export const toChannelView = (channel: DepositChannel): View => ({
  ...pick(channel, 'code', 'adapter'),
  base_url: null,
  credentials: [],
  options: channel.options,
  min: formatBaht(channel.min),
  max: formatBaht(channel.max),
  priority: channel.priority,
  hold_above: formatBaht(channel.hold_above),
  status: channel.status,
  pause_reason: null,
  callback_url: null,
  covered_until: momentOrNull(channel.covered_until),
  refused: channel.refused,
});

export const toDepositView = (row: DepositRow): View => ({
  merchant_id: row.deposit.merchant_id,
  ...toDepositDto(row),
  reference: row.deposit.reference,
  hold_until: row.deposit.hold_until.toISOString(),
});

/** The same with what happened, in the order of time. */
export function toDepositDetail(row: DepositRow): View {
  const { deposit, payments } = row;
  const booked = payments.map(({ public_id, amount, booked_at, booked_by }) => ({
    at: momentOrNull(booked_at),
    event: 'paid',
    detail: `${formatBaht(amount)} THB, ${public_id}, recognized by ${booked_by ?? ''}`,
  }));
  const hasExpired = deposit.status === 'expired' || (payments[0]?.booked_at ?? new Date(0)) > deposit.expires_at;
  const expired = hasExpired ? [{ at: deposit.expires_at.toISOString(), event: 'expired', detail: '' }] : [];
  const cancelled =
    deposit.cancelled_at === null ? [] : [{ at: deposit.cancelled_at.toISOString(), event: 'cancelled', detail: '' }];
  const made = { at: deposit.created_at.toISOString(), event: 'created', detail: `by ${deposit.source}` };
  return { ...toDepositView(row), timeline: [made, ...cancelled, ...expired, ...booked] };
}

export const toPaymentView = ({ payment, channel, deposit_number, suggestions }: PaymentRow): View => ({
  id: payment.public_id,
  channel,
  amount: formatBaht(payment.amount),
  currency: payment.currency,
  paid_at: payment.paid_at.toISOString(),
  precision: payment.precision,
  ...pick(payment, 'state', 'reason', 'booked_by', 'merchant_id'),
  deposit_number,
  transfer_id: payment.transfer_id === null ? null : Number(payment.transfer_id),
  taken_back_amount: bahtOrNull(payment.taken_back),
  contradicted: payment.contradicted,
  witnesses: witnessesOf(payment),
  suggestions: suggestions.map((each) => ({
    ...pick(each, 'deposit_number', 'merchant_id'),
    amount_to_pay: formatBaht(each.amount_to_pay),
    why: 'amount',
  })),
  decision: payment.decision && {
    decision: payment.decision,
    operator: payment.decided_by,
    reason: payment.decision_reason,
    at: momentOrNull(payment.decided_at),
    ...(payment.returned_reference === null ? {} : { reference: payment.returned_reference }),
  },
});

function witnessesOf({ charge_ref, slip_ref, line_id, seen_at }: IncomingPayment): View[] {
  const witnesses = { charge: charge_ref, slip: slip_ref, line: line_id === null ? null : String(line_id) };
  return Object.entries(witnesses).flatMap(([kind, reference]) =>
    reference === null ? [] : [{ kind, reference, seen_at: seen_at.toISOString() }],
  );
}

export const toImportView = ({ id, channel, ...row }: ImportRow): View => ({
  id,
  channel,
  file_sha256: row.file_hash.toString('hex'),
  lines: row.lines,
  opening: bahtOrNull(row.opening),
  closing: bahtOrNull(row.closing),
  from: row.first_on,
  to: row.last_on,
  operator: row.operator,
  created_at: row.created_at.toISOString(),
});

/** @param refused the code of a refusal; null for a file that was imported. */
export const toImportResult = (result: ImportResult, refused: string | null = null): View => ({
  ...pick(result, 'channel', 'lines', 'new'),
  repeated: result.lines - result.new,
  ...pick(result, 'linked', 'in'),
  in_amount: formatBaht(result.inAmount),
  ...pick(result, 'booked', 'waiting', 'ignored', 'out'),
  out_amount: formatBaht(result.outAmount),
  opening: bahtOrNull(result.opening),
  closing: bahtOrNull(result.closing),
  covered_until: momentOrNull(result.coveredUntil),
  refused,
});
