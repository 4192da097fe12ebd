import { formatBaht } from '../core/money.js';
import { pick } from '../core/members.js';
import type { MerchantEvent } from '../events/event-log.js';
import type { DepositDto, DepositPaymentDto, DepositSlipDto } from './deposit.dto.js';
import type { Deposit } from './deposit.entity.js';
import type { BookedPayment, DepositRow, PresentedSlip } from './deposits.repository.js';
import { qrImage } from './qr-image.js';

const toPaymentDto = (
  { public_id, amount, paid_at, booked_at }: BookedPayment,
  { expires_at }: Deposit,
): DepositPaymentDto => ({
  id: public_id,
  amount: formatBaht(amount),
  paid_at: paid_at.toISOString(),
  booked_at: booked_at.toISOString(),
  late: paid_at > expires_at,
});

/** A confirmed slip has a payment, which may be for another deposit, or wait for an operator. */
export function toSlipDto({ slip_ref, state, code }: PresentedSlip, { payments }: DepositRow): DepositSlipDto {
  if (state !== 'confirmed') return { status: state, code };
  const isBooked = payments.some((payment) => payment.slip_ref === slip_ref);
  return isBooked ? { status: 'booked', code: null } : { status: 'refused', code: 'SLIP_NOT_FOR_THIS_DEPOSIT' };
}

function lastSlip(row: DepositRow): DepositSlipDto | null {
  const last = row.slips.at(-1);
  return last ? toSlipDto(last, row) : null;
}

/** A deposit without the image of its QR code, for lists and events. */
export function toDepositDto(row: DepositRow): DepositDto {
  const { deposit, channel, payments } = row;
  return {
    ...pick(deposit, 'deposit_number', 'reference_id', 'status'),
    channel,
    currency: 'THB',
    amount: formatBaht(deposit.amount),
    amount_to_pay: formatBaht(deposit.amount_to_pay),
    paid_amount: formatBaht(deposit.paid_amount),
    qr_payload: deposit.qr_payload,
    expires_at: deposit.expires_at.toISOString(),
    paid_at: deposit.paid_at?.toISOString() ?? null,
    payments: payments.map((payment) => toPaymentDto(payment, deposit)),
    slip: lastSlip(row),
    metadata: deposit.metadata ?? {},
    source: deposit.source,
    created_at: deposit.created_at.toISOString(),
    updated_at: deposit.updated_at.toISOString(),
  };
}

/** A single deposit, with the image of its QR code while it is `pending`. */
export const toDepositWithImage = (row: DepositRow): DepositDto => {
  const { status, qr_payload: payload, qr_image: image } = row.deposit;
  const isShown = status === 'pending';
  return { ...toDepositDto(row), qr_image: isShown ? (image ?? (payload === null ? null : qrImage(payload))) : null };
};

const eventOf = ({ deposit }: DepositRow, kind: MerchantEvent['kind'], data: object, at: Date): MerchantEvent => {
  const { merchant_id: merchantId, reference_id: referenceId } = deposit;
  return { merchantId, kind, orderId: null, referenceId, data, at };
};

export const paidEvent = (row: DepositRow, payment: BookedPayment): MerchantEvent => {
  const data = { ...toDepositDto(row), payment: toPaymentDto(payment, row.deposit) };
  return eventOf(row, 'deposit.paid', data, payment.booked_at);
};

export const expiredEvent = (row: DepositRow): MerchantEvent =>
  eventOf(row, 'deposit.expired', toDepositDto(row), row.deposit.updated_at);
