import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
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
        slip_ref: 'text?',
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

/**
 * The channels with a payment of this slip, without the sandbox, and whether it is booked. Joins all channels, because the index of slips
 * begins with the channel.
 */
export const CHANNELS_OF_SLIP = statement(
  'incoming_payments.channels_of_slip',
  { slipRef: 'text' },
  ({ slipRef }) => `
    SELECT c.id, p.state = 'booked' AS is_booked
    FROM deposit_channels c JOIN incoming_payments p ON p.channel_id = c.id AND p.slip_ref = ${slipRef}
    WHERE c.id <> ${SANDBOX_CHANNEL_ID}`,
);

/** Opens a case again where `isAgain` holds: an operator must decide about it once more. */
const reopenedIf = (isAgain: string): string =>
  ['decision', 'decided_by', 'decision_reason', 'decided_at']
    .map((column) => `${column} = CASE WHEN ${isAgain} THEN NULL ELSE p.${column} END`)
    .join(', ');

const loneWith = (own: 'slip_ref' | 'line_id', other: 'slip_ref' | 'line_id') =>
  statement(
    `incoming_payments.lone_with_${own}`,
    {
      ...({ channelId: 'int', from: 'timestamptz', until: 'timestamptz' } as const),
      amounts: rowsOf({ amount: 'bigint' }),
    },
    ({ channelId, from, until, amounts }) => `
      SELECT p.id, p.public_id, p.amount, p.currency, p.paid_at, p.precision, p.charge_ref, p.slip_ref, p.line_id, p.state, p.reason,
             p.deposit_id, p.merchant_id, p.transfer_id, p.booked_by, p.booked_at, p.decision,
             d.reference
      FROM ${amounts.as('paid')}
      JOIN incoming_payments p ON p.channel_id = ${channelId} AND p.amount = paid.amount
      LEFT JOIN deposits d ON d.id = p.deposit_id
      WHERE p.${own} IS NOT NULL AND p.${other} IS NULL AND p.paid_at >= ${from} AND p.paid_at <= ${until}
      ORDER BY p.paid_at, p.id`,
  );

/** Payments of some amounts that only a slip or only a line reports, in the order of time. */
export const LONE_PAYMENTS = { slip: loneWith('slip_ref', 'line_id'), line: loneWith('line_id', 'slip_ref') };

/**
 * Adds witnesses to payments, with the new state of those that waited. If an operator debited the payment of a slip because no
 * statement showed it, its line opens the case again: the merchant is owed the money.
 */
export const LINK_PAYMENTS = statement(
  'incoming_payments.link',
  {
    payments: rowsOf({
      ...({ id: 'bigint', slip_ref: 'text?', line_id: 'bigint?', state: 'text', reason: 'text?' } as const),
      ...({ deposit_id: 'bigint?', merchant_id: 'int?', transfer_id: 'bigint?', booked_by: 'text?' } as const),
      booked_at: 'timestamptz?',
    }),
  },
  ({ payments }) => `
    UPDATE incoming_payments p
    SET slip_ref = w.slip_ref, line_id = w.line_id, state = w.state, deposit_id = w.deposit_id, merchant_id = w.merchant_id,
        transfer_id = w.transfer_id, booked_by = w.booked_by, booked_at = w.booked_at,
        reason = CASE WHEN w.reason = 'NOT_IN_STATEMENT' AND w.state <> 'waiting' AND p.decision IS DISTINCT FROM 'debit' THEN NULL
                      ELSE w.reason END,
        ${reopenedIf(`p.decision = 'debit' AND w.reason = 'NOT_IN_STATEMENT'`)}
    FROM ${payments.as('w')} WHERE p.id = w.id`,
);

/** Payments of slips that the imported statements should show and do not show. */
export const MARK_MISSING = statement(
  'incoming_payments.mark_missing',
  { channelId: 'int', paidUntil: 'timestamptz' },
  ({ channelId, paidUntil }) => `
    UPDATE incoming_payments SET reason = 'NOT_IN_STATEMENT'
    WHERE channel_id = ${channelId} AND slip_ref IS NOT NULL AND line_id IS NULL AND charge_ref IS NULL
      AND paid_at <= ${paidUntil} AND state IN ('booked', 'waiting') AND reason IS DISTINCT FROM 'NOT_IN_STATEMENT'
      AND coalesce(decision, '') NOT IN ('debit', 'keep')`,
);

/** What a merchant was credited for slips of a channel that neither a statement nor a person has confirmed. */
export const UNCONFIRMED_AMOUNT = statement(
  'incoming_payments.unconfirmed_amount',
  { channelId: 'int', merchantId: 'int' },
  ({ channelId, merchantId }) => `
    SELECT coalesce(sum(amount), 0)::bigint AS amount FROM incoming_payments
    WHERE channel_id = ${channelId} AND merchant_id = ${merchantId} AND slip_ref IS NOT NULL AND line_id IS NULL
      AND charge_ref IS NULL AND decision IS NULL`,
);

/**
 * Records how much of each payment the vendor has taken back: `amount`. A booked payment becomes a case. A case that an operator
 * closed opens again if the operator kept the payment, or debited less than `amount`. `debited`: what operators have debited for
 * the payment.
 */
export const TAKE_BACK = statement(
  'incoming_payments.take_back',
  { channelId: 'int', charges: rowsOf({ charge: 'text', amount: 'bigint', debited: 'bigint' }) },
  ({ channelId, charges }) => `
    UPDATE incoming_payments p SET
      taken_back = back.amount,
      reason = CASE p.state WHEN 'booked' THEN 'TAKEN_BACK' ELSE p.reason END,
      ${reopenedIf(`p.decision = 'keep' OR p.decision = 'debit' AND back.amount > back.debited`)}
    FROM ${charges.as('back')}
    WHERE p.channel_id = ${channelId} AND p.charge_ref = back.charge AND coalesce(p.taken_back, 0) < back.amount
    RETURNING p.id`,
);

const contradictBy = (column: 'id' | 'line_id') =>
  statement(
    `incoming_payments.contradict_by_${column}`,
    { ids: rowsOf({ id: 'bigint' }) },
    ({ ids }) => `
      UPDATE incoming_payments p
      SET contradicted = true, reason = CASE WHEN p.state = 'booked' THEN 'CONTRADICTION' ELSE p.reason END,
          ${reopenedIf(`NOT p.contradicted AND p.decision IN ('debit', 'keep')`)}
      FROM ${ids.as('each')} WHERE p.${column} = each.id`,
  );

/**
 * Records that a witness contradicts payments, which are named by their own ids or by those of their lines. No money moves, and a
 * waiting payment keeps its reason. The first contradiction opens a case again that an operator closed by `debit` or `keep`.
 */
export const CONTRADICT = { id: contradictBy('id'), line_id: contradictBy('line_id') };

/**
 * Up to three deposits for each waiting payment: first the one that matching found, then others whose amounts differ by at most
 * 1 % or 10 baht, whichever is more. Of these, unpaid deposits come before paid ones. Then the order is: equal amounts, amounts
 * at most 5 satang apart, amounts whole baht apart, all others.
 */
export const SUGGEST = statement(
  'incoming_payments.suggest',
  { payments: rowsOf({ id: 'bigint' }) },
  ({ payments }) => `
    SELECT p.id AS payment_id, found.deposit_number, found.merchant_id, found.amount_to_pay, found.status, found.created_at
    FROM ${payments.as('each')} JOIN incoming_payments p ON p.id = each.id CROSS JOIN LATERAL (
      SELECT d.*, abs(d.amount_to_pay - p.amount) AS difference FROM deposits d
      WHERE d.id = p.deposit_id OR d.channel_id = p.channel_id AND (
        d.amount_to_pay = p.amount AND d.created_at BETWEEN p.paid_at - interval '33 days' AND p.paid_at + interval '2 days'
        OR d.amount_to_pay BETWEEN p.amount - greatest(p.amount / 100, 1000) AND p.amount + greatest(p.amount / 100, 1000)
           AND d.created_at BETWEEN p.paid_at - interval '2 days' AND p.paid_at + interval '2 days')
      ORDER BY d.id = p.deposit_id DESC, d.status = 'paid',
               CASE WHEN d.amount_to_pay = p.amount THEN 0 WHEN abs(d.amount_to_pay - p.amount) <= 5 THEN 1
                    WHEN (d.amount_to_pay - p.amount) % 100 = 0 THEN 2 ELSE 3 END,
               abs(d.amount_to_pay - p.amount), abs(extract(epoch FROM d.created_at - p.paid_at))
      LIMIT 3) found
    WHERE p.state = 'waiting'`,
);
