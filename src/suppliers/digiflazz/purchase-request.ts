import type { Attempt, TopUp } from '../supplier-adapter.js';
import { oneTextProblem, writePlayer } from '../player-template.js';
import { CURRENCY } from './digiflazz-data.js';
import { requestSign } from './digiflazz-signatures.js';

const DEFAULT_TEMPLATE = '{user}{server}';
const MICROS = 1_000_000n;

/** `customer_no`: the player as one text. */
export const customerNoOf = (topUp: TopUp): string => writePlayer(topUp.playerTemplate ?? DEFAULT_TEMPLATE, topUp);

interface Account {
  username: string;
  key: string;
  testing: boolean;
  /** Where callbacks about the purchase go; null for the address in the supplier's panel. */
  callbackUrl: string | null;
}

/**
 * The body of `POST /transaction`. Every send of an attempt has the same bytes, unless the supplier's settings or our
 * callback address change.
 */
export function purchaseRequest(account: Account, attempt: Attempt): string {
  const customerNo = customerNoOf(attempt);
  return JSON.stringify({
    username: account.username,
    buyer_sku_code: attempt.sku,
    customer_no: customerNo,
    ref_id: attempt.reference,
    sign: requestSign(account, attempt.reference),
    ...(attempt.maxCost !== null && { max_price: Number(attempt.maxCost.micros / MICROS) }),
    ...(customerNo.includes('.') && { allow_dot: true }),
    ...(account.testing && { testing: true }),
    ...(account.callbackUrl !== null && { cb_url: account.callbackUrl }),
  });
}

/** The reason why an offer's settings allow no purchase, or the supplier can't enforce the limit of its cost; null for neither. */
export function requestProblem({ maxCost, playerTemplate }: TopUp): string | null {
  const problem = oneTextProblem(playerTemplate);
  if (problem !== null || maxCost === null) return problem;
  if (maxCost.currency !== CURRENCY) return `its cost limit is in ${maxCost.currency}, not in ${CURRENCY}`;
  // The supplier does not document whether a limit of 0 means no limit.
  return maxCost.micros < MICROS ? `its cost limit is below 1 ${CURRENCY}` : null;
}
