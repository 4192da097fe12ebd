import { Option } from 'commander';
import type { Actor } from '../audit-log/audit-log.js';
import { CatalogModule } from '../catalog/catalog.module.js';
import { MAX_PRIORITY, type OfferDefinition, type OfferName } from '../catalog/offer-definition.js';
import { toOfferView } from '../catalog/offer-view.js';
import type { ListedOffer } from '../catalog/offers.repository.js';
import { OffersService } from '../catalog/offers.service.js';
import type { CommandGroup, OperatorCommand } from './command-group.js';
import { currency, integer, micros, percent } from './options.js';
import { list, record, type Result } from './output.js';

type SetGiven = OfferName &
  Actor & {
    priority?: number;
    /** In millionths; false for --no-cost. */
    cost?: bigint | false;
    currency?: string;
    /** False for --no-player-template. */
    playerTemplate?: string | false;
    guardPercent?: string;
    active?: boolean;
    inactive?: boolean;
  };

const SET_HELP = `
For an existing offer, only the given options change. An order uses the first routable offer of a product: by priority,
and of equal priorities the cheapest. Without a cost, the supplier may charge any amount. A synchronisation
of the supplier's catalogue replaces the cost. With --inactive, topup offer list shows the --reason.

A player template contains {user}, and may contain {server} and {character}: {user}({server}). For a supplier with
several fields, it is a JSON object with such a text for each: {"User ID":"{user}"}.
`;

export const offerCommands: CommandGroup = {
  features: { imports: [CatalogModule] },
  define(offer) {
    defineSet(offer);
    defineList(offer);
    defineRemove(offer);
  },
};

const named = (command: OperatorCommand): OperatorCommand =>
  command
    .requiredOption('--sku <sku>', 'SKU of the product')
    .requiredOption('--supplier <code>', 'supplier code')
    .requiredOption('--supplier-sku <sku>', 'the supplier’s SKU, 1 to 128 characters');

function defineSet(offer: OperatorCommand): void {
  named(offer.command('set').description('Add an offer of a product by a supplier, or change an existing one.'))
    .option(
      '--priority <n>',
      `1 comes first, up to ${MAX_PRIORITY} (default for a new offer: 1)`,
      integer(1, MAX_PRIORITY),
    )
    .option('--cost <amount>', 'cost of one unit in the supplier’s currency', micros)
    .option('--no-cost', 'forget the cost')
    .option('--currency <currency>', 'currency of the cost, such as IDR', currency)
    .option('--player-template <text>', 'how the supplier wants the player written, such as {user}({server})')
    .option('--no-player-template', 'let the supplier’s adapter write the player')
    .option(
      '--guard-percent <p>',
      'how much more than the cost a purchase may cost (default for a new offer: 5)',
      percent,
    )
    .addOption(new Option('--active', 'buy there').conflicts('inactive'))
    .option('--inactive', 'do not buy there')
    .audited()
    .notes(SET_HELP)
    .examples(
      'offer set --sku MLBB-86 --supplier acme --supplier-sku ML86 --priority 2 --cost 19500 --currency IDR',
      'offer set --sku MLBB-86 --supplier acme --supplier-sku ML86 --inactive --reason "too dear"',
    )
    .does(async (app, { cost, playerTemplate, active, inactive, operator, reason, ...given }: SetGiven) => {
      const definition: OfferDefinition = {
        ...given,
        costMicros: cost === false ? null : cost,
        playerTemplate: playerTemplate === false ? null : playerTemplate,
        active: inactive ? false : active,
      };
      return withWarning(await app.get(OffersService).set(definition, { operator, reason }));
    });
}

function withWarning(offer: ListedOffer): Result {
  const view = toOfferView(offer);
  if (offer.eats_margin !== true) return record({ ...view });
  const warning = `the cost, ${view.cost_baht} baht, eats the margin of ${view.sku}: orders do not use this offer`;
  return { ...record({ ...view }), warnings: [warning] };
}

function defineList(offer: OperatorCommand): void {
  offer
    .command('list')
    .description('List offers in the order in which they are used, and why some are not used now.')
    .option('--sku <sku>', 'offers of this product')
    .option('--supplier <code>', 'offers by this supplier')
    .examples('offer list', 'offer list --sku MLBB-86')
    .does(async (app, which: { sku?: string; supplier?: string }) => {
      const offers = await app.get(OffersService).list(which);
      return list(
        offers.map((each) => ({ ...toOfferView(each) })),
        'There are no such offers: topup offer set adds one.',
      );
    });
}

function defineRemove(offer: OperatorCommand): void {
  named(offer.command('remove').description('Remove an offer. Orders that already use it continue.'))
    .audited()
    .examples('offer remove --sku MLBB-86 --supplier acme --supplier-sku ML86')
    .does(async (app, { operator, reason, ...name }: OfferName & Actor) => {
      const { removed, left } = await app.get(OffersService).remove(name, { operator, reason });
      const remarks = left === 0 ? [`${name.sku} has no offer any more: it can’t be ordered.`] : [];
      return { ...record({ ...toOfferView(removed) }), remarks };
    });
}
