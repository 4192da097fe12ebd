import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { formatBaht, MAX_SATANG, type Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
import { Database, type Queryable, type Statement } from '../database/database.js';
import { actionValues, RECORD_ACTION, type By } from '../audit-log/operator-actions.js';
import { recordEvents } from '../events/event-log.js';
import { crosses, lowBalanceEvent } from './low-balance.js';

export interface Wallet {
  merchant_id: number;
  available: Satang;
  held: Satang;
  /** Below this the merchant's webhooks are told; null where no alert is set. */
  alert_below: Satang | null;
  updated_at: Date;
}

export interface Funding extends By {
  merchantId: number;
  /** Satang, more than 0. */
  amount: Satang;
  /** The operator's reference, unique per merchant over credits and debits. */
  reference: string;
  note?: string;
}

const COLUMNS = 'merchant_id, available, held, alert_below, updated_at';

const FIND: Statement = {
  name: 'wallets.find',
  text: `SELECT ${COLUMNS} FROM wallets WHERE merchant_id = $1`,
};

const LIST: Statement = {
  name: 'wallets.list',
  text: `SELECT ${COLUMNS}, name FROM wallets JOIN (SELECT id AS merchant_id, name FROM merchants) m USING (merchant_id)
         ORDER BY available, merchant_id`,
};

const LOCK: Statement = { name: 'wallets.lock', text: `${FIND.text} FOR NO KEY UPDATE` };

const FIND_FUNDING: Statement = {
  name: 'transfers.find_funding',
  text: `SELECT kind, amount FROM transfers WHERE merchant_id = $1 AND reference = $2`,
};

const FUND: Statement = {
  name: 'wallets.fund',
  text: `
    WITH moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference,
                             note, operator, created_at)
      -- Not the transaction's time: that was before the wallet's lock was waited for.
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, date_trunc('milliseconds', statement_timestamp()))
      RETURNING id, created_at),
    recorded AS (
      INSERT INTO operator_actions (operator, action, merchant_id, detail)
      SELECT $9, 'wallet.' || $2, $1, jsonb_build_object('transfer_id', id, 'amount', $5::bigint, 'reference', $7,
                                                         'note', $8::text, 'reason', $10::text)
      FROM moved)
    UPDATE wallets SET available = $6, updated_at = (SELECT created_at FROM moved) WHERE merchant_id = $1
    RETURNING ${COLUMNS}`,
};

const SET_ALERT: Statement = {
  name: 'wallets.set_alert',
  text: `UPDATE wallets SET alert_below = $2 WHERE merchant_id = $1
         RETURNING ${COLUMNS}`,
};

const FIND_ALERTS: Statement = {
  name: 'wallets.find_alerts',
  text: `SELECT merchant_id, alert_below FROM wallets WHERE alert_below IS NOT NULL`,
};

const bahtOrNull = (amount: Satang | null): string | null => (amount === null ? null : formatBaht(amount));

/** The operator's side of a wallet: money that comes in and goes out. Orders move money in their own transactions. */
@Injectable()
export class WalletService {
  constructor(private readonly database: Database) {}

  /** @throws NOT_FOUND */
  async get(merchantId: number): Promise<Wallet> {
    return oneWallet(await this.database.query<Wallet>(FIND, [merchantId]), merchantId);
  }

  /** All of them with their merchants' names, the lowest available balance first. */
  list(): Promise<(Wallet & { name: string })[]> {
    return this.database.query(LIST);
  }

  /**
   * Adds money. The same reference with the same amount changes nothing.
   * @throws NOT_FOUND; BAD_REQUEST; CONFLICT for a reference that was used otherwise.
   */
  credit(funding: Funding): Promise<Wallet> {
    return this.fund('credit', funding);
  }

  /** Takes money away, as {@link credit} adds it. @throws CONFLICT too when there is not enough available. */
  debit(funding: Funding): Promise<Wallet> {
    return this.fund('debit', funding);
  }

  private fund(kind: 'credit' | 'debit', funding: Funding): Promise<Wallet> {
    const problem = fundingProblem(funding);
    if (problem) throw new AppError('BAD_REQUEST', problem);
    const { merchantId, amount, reference, note = null, operator, reason = null } = funding;
    return this.database.transaction(async (tx) => {
      const wallet = oneWallet(await tx.query<Wallet>(LOCK, [merchantId]), merchantId);
      if (await isRepeat(tx, kind, funding)) return wallet;
      const available = kind === 'credit' ? wallet.available + amount : wallet.available - amount;
      if (available < 0n) {
        const message = `merchant ${merchantId} has only ${formatBaht(wallet.available)} THB available`;
        throw new AppError('CONFLICT', message);
      }
      if (available > MAX_SATANG) throw new AppError('CONFLICT', 'a wallet cannot hold more than this');
      const accounts = kind === 'credit' ? ['funding', 'available'] : ['available', 'funding'];
      const values = [merchantId, kind, ...accounts, amount, available, reference, note, operator, reason];
      const after = oneWallet(await tx.query<Wallet>(FUND, values), merchantId);
      if (crosses(wallet.available, after.available, wallet.alert_below)) {
        const low = { merchantId, available: after.available, threshold: wallet.alert_below };
        await recordEvents(tx, [lowBalanceEvent(low, after.updated_at)]);
      }
      return after;
    });
  }

  /**
   * Sets below which available balance the merchant's webhooks are told, or that they are not any more. Setting it
   * tells nobody, whatever the balance is: a movement that crosses it does.
   * @param below satang, more than 0; null for no alert.
   * @throws NOT_FOUND; BAD_REQUEST.
   */
  setAlert(merchantId: number, below: Satang | null, by: By): Promise<Wallet> {
    if (below !== null && (below <= 0n || below > MAX_SATANG)) {
      throw new AppError('BAD_REQUEST', 'the threshold must be more than 0.00');
    }
    return this.database.transaction(async (tx) => {
      const before = oneWallet(await tx.query<Wallet>(LOCK, [merchantId]), merchantId);
      const wallet = oneWallet(await tx.query<Wallet>(SET_ALERT, [merchantId, below]), merchantId);
      const detail = { below: bahtOrNull(below), before: bahtOrNull(before.alert_below) };
      tx.write(RECORD_ACTION, actionValues(by, { action: 'merchant.set_alert', merchantId, detail }));
      return wallet;
    });
  }

  /** The thresholds of all merchants that have one, by merchant. */
  async alerts(): Promise<Map<number, Satang>> {
    const rows = await this.database.query<{ merchant_id: number; alert_below: Satang }>(FIND_ALERTS);
    return new Map(rows.map(({ merchant_id, alert_below }) => [merchant_id, alert_below]));
  }
}

function fundingProblem({ amount, reference, note = '', operator, reason }: Funding): string | null {
  if (amount <= 0n || amount > MAX_SATANG) return 'the amount must be more than 0.00';
  const texts: [string, string, number, number][] = [
    ['reference', reference, 1, 128],
    ['note', note, 0, 500],
    ['operator', operator, 1, 128],
    ...(reason === undefined ? [] : ([['reason', reason, 1, 500]] as [[string, string, number, number]])),
  ];
  for (const [member, text, minimum, maximum] of texts) {
    const problem = textProblem(text, minimum, maximum);
    if (problem) return `the ${member} ${problem}`;
  }
  return null;
}

async function isRepeat(
  tx: Queryable,
  kind: string,
  { merchantId, amount, reference }: Funding,
): Promise<boolean> {
  const [earlier] = await tx.query<{ kind: string; amount: Satang }>(FIND_FUNDING, [merchantId, reference]);
  if (!earlier) return false;
  if (earlier.kind === kind && earlier.amount === amount) return true;
  const message = `reference ${reference} was already used for a ${earlier.kind} of ${formatBaht(earlier.amount)} THB`;
  throw new AppError('CONFLICT', message);
}

function oneWallet(rows: Wallet[], merchantId: number): Wallet {
  const [wallet] = rows;
  if (!wallet)
    throw new AppError('NOT_FOUND', `there is no merchant ${merchantId}: topup merchant list shows them`);
  return wallet;
}
