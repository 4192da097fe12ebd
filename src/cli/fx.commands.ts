import type { Actor } from '../audit-log/audit-log.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { FxRatesService, toFxRateView } from '../catalog/fx-rates.service.js';
import type { CommandGroup } from './command-group.js';
import { currency } from './options.js';
import { list, record } from './output.js';

const SET_HELP = `
The rate applies from now on. Orders do not use offers in a currency whose rate is older than ROUTING_RATE_MAX_AGE_MS, so set
the rate again before that, even if it has not changed.
`;

export const fxCommands: CommandGroup = {
  features: { imports: [CatalogModule] },
  define(fx) {
    fx.command('set')
      .description('Set the exchange rate of a currency in which suppliers charge.')
      .requiredOption('--currency <currency>', 'currency, such as IDR', currency)
      .requiredOption('--rate <baht>', 'baht for one unit of it, such as 0.0021')
      .audited()
      .notes(SET_HELP)
      .examples('fx set --currency IDR --rate 0.0021')
      .does(async (app, { currency: unit, rate, ...by }: Actor & { currency: string; rate: string }) =>
        record({ ...toFxRateView(await app.get(FxRatesService).set(unit, rate, by)) }),
      );

    fx.command('list')
      .description('List the current exchange rates.')
      .examples('fx list')
      .does(async (app) => {
        const service = app.get(FxRatesService);
        const rates = await service.list();
        const rows = rates.map((rate) => ({ ...toFxRateView(rate) }));
        const old = rates.filter((rate) => !service.isFresh(rate)).map((rate) => rate.currency);
        const remarks = old.length === 0 ? [] : [`Too old to be used, set again: ${old.join(', ')}`];
        return { ...list(rows, 'There are no exchange rates: topup fx set adds one.'), remarks };
      });
  },
};
