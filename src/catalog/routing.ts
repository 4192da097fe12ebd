import type { Config } from '../core/config.js';

/** Why an offer is not routable at present, in the order in which the reasons are checked. */
export const UNROUTABLE = ['off', 'paused', 'not_sold', 'cut_off', 'old_cost', 'no_rate', 'no_margin'] as const;
export type Unroutable = (typeof UNROUTABLE)[number];

/** The largest number of passed-over offers that an order stores: the first ones. */
export const MAX_PASSED_OVER = 20;

/** The settings of routing, as parameters of statements. */
export interface RoutingLimits {
  costMaxAgeMs: bigint;
  rateMaxAgeMs: bigint;
  /** In hundredths of a percent of the price that `offersOf` gets. */
  minMargin: number;
}

export const routingLimits = (config: Config): RoutingLimits => ({
  costMaxAgeMs: BigInt(config.ROUTING_COST_MAX_AGE_MS),
  rateMaxAgeMs: BigInt(config.ROUTING_RATE_MAX_AGE_MS),
  minMargin: Math.round(Number(config.ROUTING_MIN_MARGIN_PERCENT) * 100),
});
