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

const costOf = (
  micros: bigint | null,
  { cost_currency: currency }: Pick<SoldRequest, 'cost_currency'>,
): CostMoney | null => (micros === null || currency === null ? null : { micros, currency });
