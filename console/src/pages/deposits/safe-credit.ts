interface WaitingPayment {
  currency: string;
  reason: string | null;
  taken_back_amount: string | null;
  contradicted: boolean;
}

interface Suggested {
  deposit_number: string | null;
  status: string | null;
}

/** Wallets hold THB, so the API refuses the credit of another payment. */
export const isCreditable = ({ currency }: Pick<WaitingPayment, 'currency'>): boolean => currency === 'THB';

/** A payment that waits for another reason may be credited already, be another deposit's, or its money may not be there. */
const SAFE: readonly (string | null)[] = ['LARGE', 'UNMATCHED', 'WALLET_FULL'];

/**
 * Whether one click may name this recipient. Crediting twice, or the wrong merchant, must not be easy: in doubt, the operator names
 * whom to credit. So also where the payment only names a merchant, because anybody may write that.
 */
export const isSafe = (
  { reason, taken_back_amount: takenBack, contradicted, currency }: WaitingPayment,
  { deposit_number: deposit, status }: Suggested,
): boolean =>
  isCreditable({ currency }) &&
  SAFE.includes(reason) &&
  takenBack === null &&
  !contradicted &&
  deposit !== null &&
  status !== 'paid';
