import { Store as CommonStore } from '../common/store.js';
import { DEFAULT_ACCOUNT, DEFAULT_TYPES } from './defaults.js';
import type { Ban, Kind, Kinds, ProductType, Transaction } from './model.js';
import { READINGS } from './readings.js';

/** Adds the catalogue, and the ban. */
export class Store extends CommonStore<Kinds> {
  types: readonly ProductType[] = DEFAULT_TYPES;
  ban: Ban = { strikes: 0, bans: 0, until_ms: 0 };

  constructor() {
    super(DEFAULT_ACCOUNT, READINGS, 'available');
  }

  type(kind: Kind, id: string): ProductType | undefined {
    return this.types.find((each) => each.kind === kind && String(each.id) === id);
  }

  /** An order by its number, or by our reference: the latest one. */
  order(kind: Kind, id: string, by: 'orderId' | 'mchOrderId'): Transaction | undefined {
    const found = by === 'orderId' ? this.transactions.get(id) : this.underReference(id).at(-1);
    return found?.kind === kind ? found : undefined;
  }

  protected override applyOwn({ ban, types }: Kinds['change']): void {
    if (types) this.types = types;
    if (ban) this.ban = ban;
  }
}
