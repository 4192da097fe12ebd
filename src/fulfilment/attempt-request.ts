import type { CostMoney } from '../core/cost-money.js';
import type { TopUp } from '../suppliers/supplier-adapter.js';
import type { SoldRequest } from './attempt-checks.repository.js';

type Request = Omit<TopUp, 'reference' | 'sku'>;

/** The player and the costs in an attempt's request. They are the same in each send of the attempt. */
export const requestOf = (sent: SoldRequest): Request => ({
  userId: sent.user_id,
  serverId: sent.server_id,
  characterId: sent.character_id,
  endUserIp: sent.end_user_ip,
  playerTemplate: sent.player_template,
  maxCost: costOf(sent.max_cost_micros, sent),
  expectedCost: costOf(sent.expected_cost_micros, sent),
});

/**
 * The supplier's reference by which to recognize the attempt's own purchase. Null if the supplier may sell each send, and the unit has
 * no purchase: then each purchase of an attempt that ended is a late sale.
 */
export const ownReference = (
  { supplier_reference: reference }: { supplier_reference: string | null },
  { isGivenUp, deduplicates }: { isGivenUp: boolean; deduplicates: boolean },
): string | null => (isGivenUp && !deduplicates ? null : reference);

const costOf = (
  micros: bigint | null,
  { cost_currency: currency }: Pick<SoldRequest, 'cost_currency'>,
): CostMoney | null => (micros === null || currency === null ? null : { micros, currency });
