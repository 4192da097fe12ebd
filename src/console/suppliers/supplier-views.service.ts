import { Injectable } from '@nestjs/common';
import { pick } from '../../core/members.js';
import type { Page } from '../../core/pagination.js';
import { MinuteStatsRepository } from '../../monitoring/stats/minute-stats.repository.js';
import { SupplierStatesRepository } from '../../monitoring/stats/supplier-states.repository.js';
import { describeAdapter } from '../../suppliers/adapters.js';
import { CallbackAddressesService } from '../../suppliers/callback-addresses.service.js';
import { SupplierBalancesService } from '../../suppliers/supplier-balances.service.js';
import { toSupplierView } from '../../suppliers/supplier-view.js';
import type { Supplier } from '../../suppliers/supplier.entity.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Caller } from '../access/caller.js';
import type { ListedSupplierDto, SupplierDetailDto } from './supplier.dto.js';
import { toListedSupplierDto, type SupplierActivity } from './supplier.mapper.js';

const RECENT_MINUTES = 15;

/** Suppliers with their state and settings. */
@Injectable()
export class SupplierViewsService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly balances: SupplierBalancesService,
    private readonly addresses: CallbackAddressesService,
    private readonly minutes: MinuteStatsRepository,
    private readonly states: SupplierStatesRepository,
  ) {}

  /** Returns all suppliers on one page: they are few. */
  async list(): Promise<Page<ListedSupplierDto>> {
    const suppliers = await this.suppliers.list();
    const activity = await this.activityOf(suppliers);
    return { data: suppliers.map((supplier) => toListedSupplierDto(supplier, activity)), next_cursor: null };
  }

  async show(caller: Caller, code: string): Promise<SupplierDetailDto> {
    const supplier = await this.suppliers.getByCode(code);
    const [activity, open, waiting] = await Promise.all([
      this.activityOf([supplier]),
      this.suppliers.countOpenUnits(supplier),
      this.states.readWaiting(supplier.id),
    ]);
    const url = this.addresses.urlOf(supplier);
    const view = toSupplierView(supplier, url);
    return {
      ...toListedSupplierDto(supplier, activity),
      ...pick(view, 'base_url', 'options', 'credentials', 'timeout_ms', 'max_in_flight', 'low_balance'),
      ...pick(supplier, 'catalogue_read_at', 'updated_at'),
      has_callbacks: supplier.callback_token_sealed !== null,
      callback_url: caller.may('suppliers.set') ? url : null,
      has_catalogue: describeAdapter(supplier.adapter)?.capabilities.includes('catalogue') ?? false,
      open_units: { open: open.open, in_doubt: open.inDoubt },
      waiting,
    };
  }

  private async activityOf(suppliers: readonly Supplier[]): Promise<SupplierActivity> {
    const codes = suppliers.map(({ code }) => code);
    const [states, queues, lasting, recent] = await Promise.all([
      this.states.read(),
      this.states.readQueues(),
      this.balances.listHoursLeft(),
      this.minutes.readRecent(
        ['supplier_sends', 'supplier_inquiries', 'supplier_send_duration'],
        codes,
        RECENT_MINUTES,
      ),
    ]);
    return { states, queues, lasting, recent, minutes: RECENT_MINUTES };
  }
}
