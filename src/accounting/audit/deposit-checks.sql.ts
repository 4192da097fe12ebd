import { counted } from '../../core/text.js';
import { formatBaht } from '../../core/money.js';
import { baht, type MomentCheck } from './check.sql.js';

/**
 * The credits for payments. Matches whole references, because operators may have chosen other references that begin
 * with `deposit:`.
 */
const CREDITS = `(SELECT id, kind, merchant_id, amount, reference FROM transfers WHERE reference ~ '^deposit:pay_[0-9A-Za-z]{22}$')`;

/**
 * The debits that reverse such credits, summed for each payment. A vendor may take back more of a payment after the
 * first debit (`:back`). Then an operator decides again, and a second debit (`:back2`) may follow. A later report may
 * show that a debit was wrong. Then the payment is an open case again, and an operator may keep the payment in spite of
 * the debit.
 */
const DEBITS = `(
  SELECT min(id) AS id, left(reference, 34) AS reference, sum(amount)::bigint AS amount, bool_and(kind = 'debit') AS are_debits,
         CASE WHEN min(merchant_id) = max(merchant_id) THEN min(merchant_id) END AS merchant_id
  FROM transfers WHERE reference ~ '^deposit:pay_[0-9A-Za-z]{22}:back[0-9]*$' GROUP BY 2)`;

/** Rules about incoming payments, deposits and statements. */
export const DEPOSIT_CHECKS = {
  payments: {
    name: 'deposit_payments',
    rows: `
      SELECT coalesce('payment ' || p.public_id, 'transfer ' || coalesce(t.id, b.id)) AS what, p.state,
             CASE WHEN p.currency = 'THB' THEN p.amount END AS amount, p.currency <> 'THB' AS is_foreign,
             t.id AS transfer, p.id IS NULL AS is_unknown, b.amount AS taken_back,
             b.id IS NOT NULL AND (p.id IS NULL OR (p.state, b.merchant_id, b.are_debits)
                                   IS DISTINCT FROM ('booked', p.merchant_id, true)
                                   OR p.decision IS DISTINCT FROM 'debit' AND b.amount >= coalesce(p.taken_back, 0)
                                      AND NOT (p.contradicted OR p.reason IS NOT DISTINCT FROM 'NOT_IN_STATEMENT'
                                                                 AND p.line_id IS NOT NULL)
                                   OR b.amount > greatest(p.amount, p.taken_back)) AS is_wrong_back,
             CASE WHEN p.id IS NULL THEN t.id IS NOT NULL
                  WHEN p.state = 'booked' THEN (t.id, t.kind, t.merchant_id, t.amount, t.reference)
                       IS DISTINCT FROM (p.transfer_id, 'credit', p.merchant_id, p.amount, 'deposit:' || p.public_id)
                  ELSE t.id IS NOT NULL END AS is_wrong
      FROM incoming_payments p
      FULL JOIN ${CREDITS} t ON t.reference = 'deposit:' || p.public_id
      FULL JOIN ${DEBITS} b ON b.reference = 'deposit:' || p.public_id`,
    wrong: 'is_wrong OR is_wrong_back',
    example: `format('%s: %s', what, CASE WHEN is_unknown AND is_wrong_back THEN 'it is a debit of no payment'
                                          WHEN is_unknown THEN 'it is a credit of no payment'
                                          WHEN is_wrong_back THEN 'its debits do not fit its state, decision, merchant or amount'
                                          WHEN transfer IS NULL THEN 'it is booked and has no credit'
                                          WHEN state <> 'booked' THEN 'it is not booked and has a credit'
                                          ELSE 'its credit has another id, kind, amount or merchant' END)`,
    figures: {
      came_in: 'sum(amount)',
      booked: `sum(CASE WHEN state = 'booked' THEN amount END)`,
      waiting: `sum(CASE WHEN state = 'waiting' THEN amount END)`,
      returned: `sum(CASE WHEN state = 'returned' THEN amount END)`,
      ignored: `sum(CASE WHEN state = 'ignored' THEN amount END)`,
      taken_back: 'sum(taken_back)',
      foreign: 'count(*) FILTER (WHERE is_foreign)',
    },
    describe: ({
      checked = 0n,
      came_in = 0n,
      booked = 0n,
      waiting = 0n,
      returned = 0n,
      ignored = 0n,
      taken_back = 0n,
      foreign = 0n,
    }) =>
      `${counted(checked, 'payment')}, ${formatBaht(came_in)} = booked ${formatBaht(booked)} + waiting ${formatBaht(waiting)} ` +
      `+ returned ${formatBaht(returned)} + ignored ${formatBaht(ignored)}; taken back ${formatBaht(taken_back)}` +
      (foreign === 0n ? '' : `; ${counted(foreign, 'payment')} in other currencies`),
  },
  deposits: {
    name: 'deposits_paid',
    rows: `
      SELECT d.deposit_number, d.status, d.paid_amount, coalesce(p.paid, 0) AS paid, coalesce(p.others, 0) AS others,
             d.holds_amount AND count(*) FILTER (WHERE d.holds_amount) OVER (PARTITION BY d.channel_id, d.amount_to_pay) > 1 AS is_shared
      FROM deposits d LEFT JOIN (
        SELECT booked.deposit_id, sum(booked.amount)::bigint AS paid,
               count(*) FILTER (WHERE of.merchant_id <> booked.merchant_id OR of.channel_id <> booked.channel_id) AS others
        FROM incoming_payments booked JOIN deposits of ON of.id = booked.deposit_id
        WHERE booked.state = 'booked' GROUP BY booked.deposit_id) p ON p.deposit_id = d.id`,
    wrong: `paid_amount <> paid OR (status = 'paid') <> (paid > 0) OR others > 0 OR is_shared`,
    example: `format('deposit %s is %s with %s, and its payments are %s%s%s', deposit_number, status, ${baht('paid_amount')}, ${baht('paid')},
                     CASE WHEN others > 0 THEN '; a payment of it is of another merchant or channel' END,
                     CASE WHEN is_shared THEN '; another deposit holds its amount' END)`,
    figures: { paid_amount: 'sum(paid_amount)' },
    describe: ({ checked = 0n, paid_amount = 0n }) => `${counted(checked, 'deposit')}, paid ${formatBaht(paid_amount)}`,
  },
  statements: {
    name: 'bank_statements',
    rows: `
      SELECT format('line %s of %s at channel %s', line_id, ${baht('coalesce(l.amount, p.amount)')}, c.code) AS what, l.amount,
             l.balance_after, lag(l.balance_after) OVER chain AS before, p.amount AS paid
      FROM (SELECT id AS line_id, channel_id, amount, balance_after FROM statement_lines) l
      FULL JOIN (SELECT line_id, channel_id, amount FROM incoming_payments WHERE line_id IS NOT NULL) p USING (line_id, channel_id)
      JOIN deposit_channels c ON c.id = channel_id
      WINDOW chain AS (PARTITION BY channel_id ORDER BY line_id)`,
    wrong: `amount IS NULL OR (before IS NOT NULL AND balance_after IS NOT NULL AND balance_after <> before + amount)
            OR paid IS DISTINCT FROM CASE WHEN amount > 0 THEN amount END`,
    example: `format('%s: %s', what, CASE WHEN amount IS NULL THEN 'its payment is there, and the line is not'
                                          WHEN amount <= 0 AND paid IS NOT NULL THEN 'nothing came in by it, and it has a payment'
                                          WHEN amount > 0 AND paid IS DISTINCT FROM amount THEN 'it has no payment of its amount'
                                          ELSE 'its balance does not follow from the line before' END)`,
    figures: {
      came_in: 'sum(CASE WHEN amount > 0 THEN amount END)',
      went_out: 'sum(CASE WHEN amount < 0 THEN -amount END)',
    },
    describe: ({ checked = 0n, came_in = 0n, went_out = 0n }) =>
      `${counted(checked, 'line')}, ${formatBaht(came_in)} came in and ${formatBaht(went_out)} went out`,
  },
  witnesses: {
    name: 'deposit_witnesses',
    rows: `
      SELECT p.public_id, p.reason, coalesce(p.decision, '') NOT IN ('debit', 'keep') AS is_open,
             p.slip_ref IS NOT NULL AND num_nonnulls(p.line_id, p.charge_ref) = 0
             AND p.paid_at <= c.covered_until - interval '10 minutes' AS is_missing
      FROM incoming_payments p JOIN deposit_channels c ON c.id = p.channel_id WHERE p.state = 'booked'`,
    wrong: 'is_open AND (reason IS NOT NULL OR is_missing IS TRUE)',
    example: `format('payment %s %s', public_id, CASE WHEN reason IS NOT NULL THEN 'is an open case: ' || reason
                                                      ELSE 'is not in the statement that covers it, and the next import makes it a case' END)`,
    describe: ({ checked = 0n }) => `${counted(checked, 'booked payment')} checked for open cases`,
  },
} satisfies Record<string, MomentCheck>;
