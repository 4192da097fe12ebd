import type { Config } from '../core/config.js';

/** Why an offer is not routable at present, in the order in which the reasons are looked for. */
export const UNROUTABLE = ['off', 'paused', 'not_sold', 'cut_off', 'old_cost', 'no_rate', 'no_margin'] as const;
export type Unroutable = (typeof UNROUTABLE)[number];

/** Of the offers that came before one that was taken, so many are kept with it: the first ones. */
export const MAX_PASSED_OVER = 20;

/** What the environment says of routing, as statements are given it. */
export interface RoutingLimits {
  costMaxAgeMs: bigint;
  rateMaxAgeMs: bigint;
  /** Of the list price, in hundredths of a percent. */
  minMargin: number;
}

export const routingLimits = (config: Config): RoutingLimits => ({
  costMaxAgeMs: BigInt(config.ROUTING_COST_MAX_AGE_MS),
  rateMaxAgeMs: BigInt(config.ROUTING_RATE_MAX_AGE_MS),
  minMargin: Math.round(Number(config.ROUTING_MIN_MARGIN_PERCENT) * 100),
});
