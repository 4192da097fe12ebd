import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit-log/audit-log.js';
import { ChangedMeanwhile } from '../core/errors.js';
import { formatBaht, type Satang } from '../core/money.js';
import type { FxRate } from './fx-rate.entity.js';
import { FxRatesService } from './fx-rates.service.js';
import { bySku, offerInUse } from './offer-in-use.js';
import type { ListedOffer } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import { versionOf } from './product-imports.service.js';
import { ProductsService } from './products.service.js';

/** The effect of a new exchange rate on a product whose offer in use is in that currency. */
export interface FxEffect {
  sku: string;
  name: string;
  supplier: string;
  price: Satang;
  /** The cost at the present rate; null if there is no rate, or if the rate is too old for purchases. */
  costBefore: Satang | null;
  costAfter: Satang;
}

interface FxPreview {
  currency: string;
  rate: string;
  /** The present rate; null if there is none. */
  before: string | null;
  /** Every product whose offer in use is in the currency, sorted by the margin at the new rate, the smallest first. */
  effects: FxEffect[];
  /** A hash of the new rate, the present rate, and the SKU and price of each product that would sell below cost. */
  version: string;
}

/** The effects of exchange rates on margins. */
@Injectable()
export class FxEffectsService {
  constructor(
    private readonly rates: FxRatesService,
    private readonly products: ProductsService,
    private readonly offers: OffersService,
  ) {}

  /** Changes nothing. @throws BAD_REQUEST */
  async preview(currency: string, rate: string): Promise<FxPreview> {
    this.rates.assertRate(currency, rate);
    const now = (await this.rates.list()).find((each) => each.currency === currency);
    const scaled = scaledRate(rate);
    const effects = (await this.boughtIn(currency))
      .map(({ offer, micros, ...product }) => ({
        ...product,
        supplier: offer.supplier_code,
        costBefore: offer.cost === null ? null : BigInt(offer.cost),
        costAfter: toSatang(micros, scaled),
      }))
      .sort((one, other) => compare(marginAfter(one), marginAfter(other)) || compare(one.sku, other.sku));
    const below = effects.filter(isBelowCost).map(({ sku, price }) => ({ sku, price: formatBaht(price) }));
    const before = now?.baht_per_unit ?? null;
    return { currency, rate, before, effects, version: versionOf([{ currency, rate, before }, ...below]) };
  }

  /** Sets the rate from now on. @param version of the preview that the operator saw. @throws BAD_REQUEST; CONFLICT */
  async set(currency: string, rate: string, by: Actor, version: string): Promise<FxRate> {
    const { version: now, before } = await this.preview(currency, rate);
    if (now !== version) throw new ChangedMeanwhile('the rate, or what would sell below cost, changed meanwhile');
    return this.rates.set(currency, rate, by, { expected: before });
  }

  /**
   * For each currency: the number of products that the service buys in it, and the sums of their prices and costs. The sums leave out
   * products without a known cost in baht.
   */
  async sumsByCurrency(): Promise<Map<string, { products: number; price: Satang; cost: Satang }>> {
    const sums = new Map<string, { products: number; price: Satang; cost: Satang }>();
    for (const { offer, price } of await this.bought()) {
      const { cost_currency: currency, cost } = offer;
      if (currency === null) continue;
      const sum = sums.get(currency) ?? { products: 0, price: 0n, cost: 0n };
      const isKnown = cost !== null;
      sums.set(currency, {
        products: sum.products + 1,
        price: sum.price + (isKnown ? price : 0n),
        cost: sum.cost + (isKnown ? BigInt(cost) : 0n),
      });
    }
    return sums;
  }

  private async boughtIn(currency: string) {
    return (await this.bought()).flatMap(({ offer, ...product }) => {
      const { cost_micros: micros, cost_currency } = offer;
      return cost_currency === currency && micros !== null ? [{ ...product, offer, micros }] : [];
    });
  }

  private async bought(): Promise<{ sku: string; name: string; price: Satang; offer: ListedOffer }[]> {
    const offers = bySku(await this.offers.list());
    return (await this.products.list()).flatMap(({ sku, name, price, active }) => {
      const offer = offerInUse(offers.get(sku) ?? []);
      return active && offer?.active ? [{ sku, name, price, offer }] : [];
    });
  }
}

export const isBelowCost = ({ price, costAfter }: Pick<FxEffect, 'price' | 'costAfter'>): boolean => costAfter > price;

const marginAfter = ({ price, costAfter }: FxEffect): bigint => price - costAfter;

const compare = <Value extends bigint | string>(one: Value, other: Value): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** The calculation is in fixed point: a rate is a whole number of 10^-10 baht. */
const RATE_DIGITS = 10;
const RATE_UNIT = 10n ** BigInt(RATE_DIGITS);
/** One satang in millionths of baht. */
const MICROS_PER_SATANG = 10_000n;

function scaledRate(rate: string): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  return BigInt(whole + fraction.padEnd(RATE_DIGITS, '0'));
}

/** Rounded half up, as routing does. */
function toSatang(micros: bigint, rate: bigint): Satang {
  const unit = RATE_UNIT * MICROS_PER_SATANG;
  return (2n * micros * rate + unit) / (2n * unit);
}
