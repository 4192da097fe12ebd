import type pg from 'pg';
import type { Wallet } from './wallets.js';

/** The payments of a year, which ended an hour ago. */
const [YEAR, ENDED] = [`interval '365 days'`, `interval '1 hour'`];
const STATE = `CASE WHEN is_booked THEN 'booked' WHEN payment % 100 < 99 THEN 'waiting' ELSE 'ignored' END`;

/**
 * Adds lines of statements with their payments and deposits, as the service leaves them, without the events. Of ten deposits seven are
 * paid, of a hundred payments 97 are booked, and beside a hundred payments one leaves the account. The wallets must come from one call of
 * `createWallets`, and nothing else may be in the books.
 */
export async function fillWithPayments(database: pg.Pool, wallets: Wallet[], count: number): Promise<void> {
  const client = await database.connect();
  // Without triggers and foreign keys: their checks would take most of the time, and the rows are consistent.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(`SET work_mem = '256MB'`);
  for (const statement of [linesOf(wallets, count), ...STATEMENTS]) await client.query(statement);
  await client.query('RESET ALL');
  client.release();
}

/** Each line with the balance after it; an incoming one with its payment, and a booked one with its transfer. */
const linesOf = ([first, ...others]: Wallet[], count: number): string => `
  CREATE UNLOGGED TABLE filled AS
  WITH line AS (
    SELECT line, line % 101 = 0 AS is_out, line - line / 101 AS payment FROM generate_series(1, ${count} + ${count} / 100) line),
  channels AS (SELECT array_agg(id ORDER BY id) AS ids FROM deposit_channels WHERE adapter = 'promptpay'),
  facts AS (
    SELECT line, payment, is_out, NOT is_out AND payment % 100 < 97 AS is_booked,
           now() - ${ENDED} - ${YEAR} * (1 - payment / ${count}::float8) AS at, ids[1 + payment % cardinality(ids)] AS channel_id,
           ${first?.merchantId} + payment % ${others.length + 1} AS merchant_id,
           CASE WHEN is_out THEN NULL ELSE (payment - 1) / 7 * 10 + (payment - 1) % 7 + 1 END AS deposit_id,
           CASE WHEN is_out THEN -1 ELSE 1 END * (100000 + (hashint4(payment) & 1048575))::bigint AS amount
    FROM line, channels)
  SELECT *, 'pay_' || substr(md5(payment::text), 1, 22) AS public_id,
         (SELECT max(id) FROM transfers) + count(*) FILTER (WHERE is_booked) OVER (ORDER BY line) AS transfer_id,
         1000000000000 + sum(amount) OVER (PARTITION BY channel_id ORDER BY line) AS balance_after,
         (SELECT max(available) FROM wallets) + sum(amount) FILTER (WHERE is_booked) OVER (PARTITION BY merchant_id ORDER BY line) AS available
  FROM facts`;

const STATEMENTS = [
  `INSERT INTO statement_imports (channel_id, file_hash, lines, operator)
   SELECT channel_id, sha256(''), count(*), 'bench' FROM filled GROUP BY 1`,
  `INSERT INTO statement_lines (id, import_id, channel_id, booked_on, at, amount, balance_after, identity_hash, text_sealed)
   OVERRIDING SYSTEM VALUE
   SELECT line, i.id, channel_id, (at AT TIME ZONE 'Asia/Bangkok')::date, at, amount, balance_after, sha256(line::text::bytea),
          decode(repeat('00', 96), 'hex') FROM filled JOIN statement_imports i USING (channel_id) ORDER BY line`,
  `INSERT INTO deposits (id, deposit_number, merchant_id, channel_id, reference_id, reference, status, amount, amount_to_pay,
                         paid_amount, qr_payload, holds_amount, hold_until, expires_at, paid_at, source, created_at, updated_at)
   OVERRIDING SYSTEM VALUE
   SELECT n, 'dep_' || substr(md5(n::text), 1, 20), coalesce(merchant_id, first_merchant_id), coalesce(channel_id, first_channel_id),
          'filled-' || n, 'D' || reverse(lpad(n::text, 11, '0')), CASE WHEN is_booked THEN 'paid' ELSE 'expired' END,
          coalesce(amount, 100000), coalesce(amount, 100000), CASE WHEN is_booked THEN amount ELSE 0 END, repeat('0', 90), false,
          made_at + interval '24 hours', made_at + interval '15 minutes', CASE WHEN is_booked THEN at END, 'api', made_at,
          coalesce(at, made_at)
   FROM (SELECT merchant_id AS first_merchant_id, channel_id AS first_channel_id, at AS first_at FROM filled WHERE line = 1) one,
        (SELECT max(deposit_id) AS deposits FROM filled) two, generate_series(1, deposits) n
   LEFT JOIN filled paid ON paid.deposit_id = n
   CROSS JOIN LATERAL (SELECT coalesce(at - interval '5 minutes', first_at + ${YEAR} * n / deposits) AS made_at) made`,
  `UPDATE transfers SET created_at = now() - ${YEAR} - ${ENDED} * 2`,
  `INSERT INTO transfers (id, merchant_id, kind, debit_account, credit_account, amount, available_after, reference, created_at)
   OVERRIDING SYSTEM VALUE
   SELECT transfer_id, merchant_id, 'credit', 'funding', 'available', amount, available, 'deposit:' || public_id, at
   FROM filled WHERE is_booked ORDER BY line`,
  `INSERT INTO incoming_payments (public_id, channel_id, amount, paid_at, precision, line_id, state, reason, deposit_id, merchant_id,
                                  transfer_id, booked_by, booked_at, seen_at)
   SELECT public_id, channel_id, amount, at, 'minute', line, ${STATE}, CASE ${STATE} WHEN 'waiting' THEN 'UNMATCHED' END,
          CASE WHEN is_booked THEN deposit_id END, CASE WHEN is_booked THEN merchant_id END, CASE WHEN is_booked THEN transfer_id END,
          CASE WHEN is_booked THEN 'amount' END, CASE WHEN is_booked THEN at END, at FROM filled WHERE NOT is_out ORDER BY line`,
  `UPDATE wallets w SET available = f.available FROM (SELECT merchant_id, max(available) AS available FROM filled GROUP BY 1) f
   WHERE f.merchant_id = w.merchant_id AND f.available IS NOT NULL`,
  `DROP TABLE filled`,
];
