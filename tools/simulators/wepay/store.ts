import { Store as CommonStore } from '../common/store.js';
import { DEFAULT_ACCOUNT, DEFAULT_COMPANIES } from './defaults.js';
import type { Company, Kinds } from './model.js';
import { READINGS } from './readings.js';
import type { Type } from './rules.js';

/** Adds the catalogue. */
export class Store extends CommonStore<Kinds> {
  companies: readonly Company[] = DEFAULT_COMPANIES;

  constructor() {
    super(DEFAULT_ACCOUNT, READINGS, 'available');
  }

  company(type: string, id: string): Company | undefined {
    return this.ofType(type as Type).find(({ company_id }) => company_id === id);
  }

  ofType(type: Type): readonly Company[] {
    return this.companies.filter((each) => each.type === type);
  }

  protected override applyOwn({ companies }: Kinds['change']): void {
    if (companies) this.companies = companies;
  }
}
