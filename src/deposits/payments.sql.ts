import { rowsOf, statement } from '../database/parameters.js';

/** New payments, already matched; booked ones with their transfers. */
export const INSERT_PAYMENTS = statement(
  'incoming_payments.insert',
  {
    channelId: 'int',
    payments: rowsOf({
      ...({
        public_id: 'text',
        amount: 'bigint',
        currency: 'text',
        paid_at: 'timestamptz',
        precision: 'text',
      } as const),
      ...({
        charge_ref: 'text?',
        line_id: 'bigint?',
        state: 'text',
        reason: 'text?',
        deposit_id: 'bigint?',
        merchant_id: 'int?',
      } as const),
      ...({ transfer_id: 'bigint?', booked_by: 'text?', booked_at: 'timestamptz?' } as const),
    }),
  },
  ({ channelId, payments }) => `
    INSERT INTO incoming_payments (channel_id, ${payments.names})
    SELECT ${channelId}, ${payments.names} FROM ${payments.numbered('each', 'position')} ORDER BY position`,
);

/** Records that a witness contradicts the payments of these lines. Nothing moves, and what waits keeps its reason. */
export const CONTRADICT = statement(
  'incoming_payments.contradict',
  { lines: rowsOf({ id: 'bigint' }) },
  ({ lines }) => `
    UPDATE incoming_payments p
    SET contradicted = true, reason = CASE WHEN p.state = 'booked' THEN 'CONTRADICTION' ELSE p.reason END
    FROM ${lines.as('line')} WHERE p.line_id = line.id`,
);

/**
 * Up to three deposits for each waiting payment, the most probable first: the one that matching found, then unpaid ones with the
 * amount, with nearly the amount, or some whole baht apart.
 */
export const SUGGEST = statement(
  'incoming_payments.suggest',
  { payments: rowsOf({ id: 'bigint' }) },
  ({ payments }) => `
    SELECT p.id AS payment_id, found.deposit_number, found.merchant_id, found.amount_to_pay, found.status, found.created_at
    FROM ${payments.as('asked')} JOIN incoming_payments p ON p.id = asked.id CROSS JOIN LATERAL (
      SELECT d.*, abs(d.amount_to_pay - p.amount) AS difference FROM deposits d
      WHERE d.channel_id = p.channel_id AND (
        d.id = p.deposit_id
        OR d.amount_to_pay = p.amount AND d.created_at BETWEEN p.paid_at - interval '33 days' AND p.paid_at + interval '2 days'
        OR d.amount_to_pay BETWEEN p.amount - greatest(p.amount / 100, 1000) AND p.amount + greatest(p.amount / 100, 1000)
           AND d.created_at BETWEEN p.paid_at - interval '2 days' AND p.paid_at + interval '2 days')
      ORDER BY d.id = p.deposit_id DESC, d.status = 'paid',
               CASE WHEN d.amount_to_pay = p.amount THEN 0 WHEN abs(d.amount_to_pay - p.amount) <= 5 THEN 1
                    WHEN (d.amount_to_pay - p.amount) % 100 = 0 THEN 2 ELSE 3 END,
               abs(d.amount_to_pay - p.amount), abs(extract(epoch FROM d.created_at - p.paid_at))
      LIMIT 3) found
    WHERE p.state = 'waiting'`,
);
