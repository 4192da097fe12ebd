import { pick } from '../core/members.js';
import { bahtOrNull, formatBaht } from '../core/money.js';
import type { DepositChannel } from './deposit-channel.entity.js';
import { toDepositDto, toSlipDto } from './deposit.mapper.js';
import type { DepositRow } from './deposits.repository.js';
import type { IncomingPayment } from './incoming-payment.entity.js';
import type { PaymentRow } from './payments.repository.js';
import type { ImportRow } from './statements/statements.repository.js';
import { nothing, type ImportResult } from './statements/import-result.js';

// What operators see. Members have the names of the command line's JSON.

const MAX_SUGGESTIONS = 3;
const OF_SUGGESTION = ['deposit_number', 'merchant_id', 'amount_to_pay', 'status', 'created_at'] as const;

const momentOrNull = (moment: Date | null): string | null => moment?.toISOString() ?? null;

export type View = Record<string, unknown>;

/** Members of a row, with amounts in baht and moments in ISO 8601. */
const shown = <Row extends object>(row: Row, ...names: (keyof Row & string)[]): View =>
  Object.fromEntries(names.map((name) => [name, asJson(row[name])]));

const asJson = (value: unknown): unknown =>
  typeof value === 'bigint' ? formatBaht(value) : value instanceof Date ? value.toISOString() : value;

/** @param callbackUrl null if the vendor does not call us. */
export const toChannelView = (channel: DepositChannel, callbackUrl: string | null = null): View => ({
  ...shown(channel, 'code', 'adapter'),
  base_url: channel.base_url,
  credentials: channel.credential_names,
  ...shown(channel, 'options', 'min', 'max', 'priority', 'hold_above'),
  status: channel.status === 'active' && channel.pause_reason !== null ? 'paused' : channel.status,
  ...shown(channel, 'pause_reason'),
  callback_url: callbackUrl,
  ...shown(channel, 'covered_until', 'refused', 'slips_paused_until'),
});

export const toDepositView = (row: DepositRow): View => ({
  merchant_id: row.deposit.merchant_id,
  ...toDepositDto(row),
  ...shown(row.deposit, 'reference', 'hold_until'),
});

export const DEPOSIT_EVENTS = ['created', 'cancelled', 'expired', 'paid', 'slip'] as const;
interface DepositEvent {
  at: string | null;
  event: (typeof DEPOSIT_EVENTS)[number];
  detail: string;
}

/** Like {@link toDepositView}, with what happened to the deposit, in the order of time. */
export function toDepositDetail(row: DepositRow): View {
  const { deposit, payments } = row;
  const booked = payments.map(({ public_id, amount, booked_at, booked_by }): DepositEvent => ({
    at: momentOrNull(booked_at),
    event: 'paid',
    detail: `${formatBaht(amount)} THB, ${public_id}, recognized by ${booked_by ?? ''}`,
  }));
  const ends = {
    cancelled: deposit.cancelled_at,
    // Deposits that expired under an earlier version have no `expired_at`.
    expired: deposit.expired_at ?? (deposit.status === 'expired' ? deposit.expires_at : null),
  };
  const ended = (['cancelled', 'expired'] as const).flatMap((event): DepositEvent[] => {
    const at = momentOrNull(ends[event]);
    return at === null ? [] : [{ at, event, detail: '' }];
  });
  const slips = row.slips.map((slip): DepositEvent => {
    const { status, code } = toSlipDto(slip, row);
    const detail = [slip.slip_ref, status, ...(code === null ? [] : [code])].join(', ');
    return { at: new Date(slip.created_at).toISOString(), event: 'slip', detail };
  });
  const made: DepositEvent = { at: deposit.created_at.toISOString(), event: 'created', detail: `by ${deposit.source}` };
  const happened = [...ended, ...booked, ...slips].toSorted((one, other) =>
    String(one.at).localeCompare(String(other.at)),
  );
  return { ...toDepositView(row), timeline: [made, ...happened] };
}

export const toPaymentView = ({ payment, suggestions, ...row }: PaymentRow): View => ({
  id: payment.public_id,
  ...shown(row, 'channel'),
  ...shown(payment, 'amount', 'currency', 'paid_at', 'precision', 'state', 'reason', 'booked_by', 'merchant_id'),
  ...shown(row, 'deposit_number'),
  transfer_id: payment.transfer_id === null ? null : Number(payment.transfer_id),
  taken_back_amount: bahtOrNull(payment.taken_back),
  contradicted: payment.contradicted,
  witnesses: witnessesOf(payment, row),
  suggestions: suggestionsOf({ payment, suggestions }).map((each) =>
    pick(each, 'deposit_number', 'merchant_id', 'amount_to_pay', 'why'),
  ),
  decision: payment.decision && {
    decision: payment.decision,
    operator: payment.decided_by,
    reason: payment.decision_reason,
    at: momentOrNull(payment.decided_at),
    ...(payment.returned_reference === null ? {} : { reference: payment.returned_reference }),
  },
});

/** What a waiting payment may be for, the most probable first, with more members than the command line shows. */
export const suggestionsOf = ({ payment, suggestions }: Pick<PaymentRow, 'payment' | 'suggestions'>): View[] =>
  [
    ...namedMerchant(payment),
    ...suggestions.map((each) => ({ ...shown(each, ...OF_SUGGESTION), why: 'amount' })),
  ].slice(0, MAX_SUGGESTIONS);

/**
 * A vendor's payment may name a merchant although its deposit is missing, such as after a restore. If matching found a
 * deposit, that one is suggested instead.
 */
const namedMerchant = ({ state, deposit_id, named_merchant_id: merchant_id }: IncomingPayment): View[] =>
  state === 'waiting' && deposit_id === null && merchant_id !== null
    ? [{ deposit_number: null, merchant_id, amount_to_pay: null, status: null, created_at: null, why: 'metadata' }]
    : [];

/** The witnesses, each with the time of its report. No column has the time at which a slip was confirmed. */
function witnessesOf(
  { charge_ref, slip_ref, line_id, seen_at }: IncomingPayment,
  { presented_at, imported_at }: Pick<PaymentRow, 'presented_at' | 'imported_at'>,
): View[] {
  // `seen_at` is the time of the first report. If the slip was presented later, the time of its presentation stands in.
  const slipSeenAt = presented_at !== null && presented_at > seen_at ? presented_at : seen_at;
  const witnesses = [
    { kind: 'charge', reference: charge_ref, at: seen_at },
    { kind: 'slip', reference: slip_ref, at: slipSeenAt },
    { kind: 'line', reference: line_id === null ? null : String(line_id), at: imported_at ?? seen_at },
  ];
  return witnesses.flatMap(({ kind, reference, at }) =>
    reference === null ? [] : [{ kind, reference, seen_at: at.toISOString() }],
  );
}

export const toImportView = ({ file_hash, first_on: from, last_on: to, ...row }: ImportRow): View => ({
  ...shown(row, 'id', 'channel'),
  file_sha256: file_hash.toString('hex'),
  ...shown(row, 'lines', 'opening', 'closing'),
  from,
  to,
  ...shown(row, 'operator', 'created_at'),
});

/** Apart from `lines`, `repeated` and the balances, counts and amounts are of new lines. */
export function toImportResult({ added: { out, ...paid }, ...result }: ImportResult): View {
  const incoming = Object.values(paid);
  const count = incoming.reduce((sum, { lines }) => sum + lines, 0);
  return {
    ...shown(result, 'channel', 'lines'),
    new: count + out.lines,
    repeated: result.lines - count - out.lines,
    linked: paid.linked.lines,
    in: count,
    in_amount: formatBaht(incoming.reduce((sum, { amount }) => sum + amount, 0n)),
    booked: paid.booked.lines,
    waiting: paid.waiting.lines,
    ignored: paid.ignored.lines,
    out: out.lines,
    out_amount: formatBaht(-out.amount),
    ...shown(result, 'opening', 'closing'),
    covered_until: momentOrNull(result.coveredUntil),
    days_without_lines: result.daysWithoutLines,
    refused: null,
  };
}

/** Like {@link toImportResult}, for a file that was refused. */
export const toRefusal = (channel: string, refused: string): View => {
  const none = { lines: 0, added: nothing(), opening: null, closing: null, coveredUntil: null, daysWithoutLines: [] };
  return { ...toImportResult({ channel, ...none }), refused };
};
