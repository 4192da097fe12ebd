import type { Satang } from '../core/money.js';
import type { Statement } from '../database/database.js';

export interface LockedWallet {
  merchant_id: number;
  available: Satang;
  /** Below this the merchant wants to be told; null where no alert is set. */
  alert_below: Satang | null;
}

/** In the order of ids, so that batches of different processes never wait for each other in a circle. */
export const LOCK_WALLETS: Statement = {
  name: 'wallets.lock_many',
  text: `SELECT merchant_id, available, alert_below FROM wallets WHERE merchant_id = ANY($1::int[]) ORDER BY merchant_id
         FOR NO KEY UPDATE`,
};

/** Those that nobody else holds. */
export const LOCK_FREE_WALLETS: Statement = {
  name: 'wallets.lock_free',
  text: `${LOCK_WALLETS.text} SKIP LOCKED`,
};
