import type { components } from '../../schema';

export type OrderView = components['schemas']['OrderDetailDto'];
export type ItemView = OrderView['items'][number];
export type UnitView = OrderView['units'][number];
export type EntryView = OrderView['timeline'][number];

export const isOpen = ({ status }: Pick<OrderView, 'status'>): boolean =>
  status === 'pending' || status === 'processing';

/** The units of an item. Their names begin with its number. */
export const unitsOf = (order: OrderView, { item }: ItemView): UnitView[] =>
  order.units.filter(({ unit }) => unit.startsWith(`${item}.`));
