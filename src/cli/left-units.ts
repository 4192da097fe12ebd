import { unitName } from '../orders/order.rows.js';
import type { LeftUnit } from '../support/order-problems.js';

/** Why a unit was not cancelled, in a line. */
export const leftInWords = (unit: LeftUnit): string => `unit ${unitName(unit)} is left as it is: ${reasonOf(unit)}`;

function reasonOf({ state, failure_code: code }: LeftUnit): string {
  switch (state) {
    case 'queued':
      return 'a call to its supplier ended just now: give the command again';
    case 'sending':
      return 'a call to its supplier is in flight';
    case 'unknown':
      return 'it is in doubt, its supplier may have sold it: topup order resolve settles it by your word';
    case 'review':
      return 'it is in doubt and waits for topup order resolve';
    case 'succeeded':
      return 'it has succeeded';
    case 'failed':
      return `it has failed already, with ${code ?? 'no code'}`;
  }
}
