import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FxEffectsService, isBelowCost, type FxEffect } from '../../catalog/fx-effects.service.js';
import { FxRatesService, toFxRateView } from '../../catalog/fx-rates.service.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, formatBaht } from '../../core/money.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { Currency } from '../access/parameters.js';
import { FxPreviewDto, FxQuestionDto, FxRatesDto, SetFxDto, type FxEffectDto } from './fx.dto.js';

const MAX_EFFECTS = 200;

/** Exchange rates and their effect on margins. */
@ApiTags('Exchange rates')
@Controller('api/fx')
export class ConsoleFxController {
  constructor(
    private readonly rates: FxRatesService,
    private readonly effects: FxEffectsService,
  ) {}

  @Get()
  @ConsoleRoute('products.read', 'The present exchange rates, and the margins at these rates', FxRatesDto)
  async list(@CurrentCaller() caller: Caller): Promise<FxRatesDto> {
    const [rates, sums] = await Promise.all([this.rates.list(), this.effects.sumsByCurrency()]);
    const known = new Set(['THB', ...rates.map(({ currency }) => currency)]);
    return {
      data: rates.map((rate) => {
        const { products = 0, price = 0n, cost = 0n } = sums.get(rate.currency) ?? {};
        const isSeen = caller.may('costs.read') && price > 0n;
        return {
          ...toFxRateView(rate),
          is_fresh: this.rates.isFresh(rate),
          products,
          margin_percent: isSeen ? Number(((price - cost) * 10_000n) / price) / 100 : null,
        };
      }),
      missing: [...sums.keys()].filter((currency) => !known.has(currency)).sort(),
    };
  }

  @Post(':currency/preview')
  @ConsoleRoute('fx.set', 'The effect of a rate on margins. Changes nothing', FxPreviewDto)
  async preview(@Currency() currency: string, @Body() { rate }: FxQuestionDto): Promise<FxPreviewDto> {
    const { version, before, effects } = await this.effects.preview(currency, rate);
    return {
      version,
      before,
      products: effects.length,
      below_cost: effects.filter(isBelowCost).length,
      effects: effects.slice(0, MAX_EFFECTS).map(toFxEffectDto),
    };
  }

  @Put(':currency')
  @ConsoleRoute('fx.set', 'Set an exchange rate from now on', FxRatesDto, {
    description: '409 if the present rate, or the products that would sell below cost, differ from the preview.',
  })
  async set(
    @CurrentCaller() caller: Caller,
    @Currency() currency: string,
    @Body() { rate, version, reason }: SetFxDto,
  ): Promise<FxRatesDto> {
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
