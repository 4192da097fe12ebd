import { Injectable } from '@nestjs/common';
import { FxEffectsService, isBelowCost, type FxEffect } from '../../catalog/fx-effects.service.js';
import { FxRatesService, toFxRateView } from '../../catalog/fx-rates.service.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, formatBaht } from '../../core/money.js';
import type { Caller } from '../access/caller.js';
import type { FxEffectDto, FxPreviewDto, FxQuestionDto, FxRatesDto, SetFxDto } from './fx.dto.js';

const MAX_EFFECTS = 200;

/** Exchange rates and their effect on margins. */
@Injectable()
export class FxViewsService {
  constructor(
    private readonly rates: FxRatesService,
    private readonly effects: FxEffectsService,
  ) {}

  async list(caller: Caller): Promise<FxRatesDto> {
    const [rates, margins] = await Promise.all([this.rates.list(), this.effects.margins()]);
    const known = new Set(['THB', ...rates.map(({ currency }) => currency)]);
    return {
      data: rates.map((rate) => {
        const { products = 0, price = 0n, cost = 0n } = margins.get(rate.currency) ?? {};
        const isSeen = caller.may('costs.read') && price > 0n;
        return {
          ...toFxRateView(rate),
          is_fresh: this.rates.isFresh(rate),
          products,
          margin_percent: isSeen ? Number(((price - cost) * 10_000n) / price) / 100 : null,
        };
      }),
      missing: [...margins.keys()].filter((currency) => !known.has(currency)).sort(),
    };
  }

  async preview(currency: string, { rate }: FxQuestionDto): Promise<FxPreviewDto> {
    const { version, before, effects } = await this.effects.preview(currency, rate);
    return {
      version,
      before,
      products: effects.length,
      below_cost: effects.filter(isBelowCost).length,
      effects: effects.slice(0, MAX_EFFECTS).map(toFxEffectDto),
    };
  }

  /** @throws BAD_REQUEST; CONFLICT if the rate or its effects differ from the preview's. */
  async set(caller: Caller, currency: string, { rate, version, reason }: SetFxDto): Promise<FxRatesDto> {
    await this.effects.set(currency, rate, caller.actor(reason), version);
    return this.list(caller);
  }
}

const toFxEffectDto = (effect: FxEffect): FxEffectDto => ({
  ...pick(effect, 'sku', 'name', 'supplier'),
  price: formatBaht(effect.price),
  cost_before: bahtOrNull(effect.costBefore),
  cost_after: formatBaht(effect.costAfter),
  margin_after: formatBaht(effect.price - effect.costAfter),
  below_cost: isBelowCost(effect),
});
