import { Injectable } from '@nestjs/common';
import { parseMicros } from '../../core/cost-money.js';
import { AppError } from '../../core/errors.js';
import { counted } from '../../core/text.js';
import type { DescribedAdapter } from '../../suppliers/adapter-description.js';
import { ADAPTERS } from '../../suppliers/adapters.js';
import type { SupplierSettings } from '../../suppliers/supplier-settings.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Caller } from '../access/caller.js';
import { SupplierViewsService } from './supplier-views.service.js';
import type { SupplierDetailDto } from './supplier.dto.js';
import type {
  AdapterDto,
  AdaptersDto,
  RemovedSupplierDto,
  RemoveSupplierDto,
  SetSupplierDto,
} from './supplier-settings.dto.js';

/** How suppliers are set. Each change is confirmed again: it says where money goes, and by whose account. */
@Injectable()
export class SupplierSettingsViewsService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly pages: SupplierViewsService,
  ) {}

  /** What suppliers can be, and what each asks for. */
  adapters(): AdaptersDto {
    return { data: ADAPTERS.map(({ description }) => toAdapterDto(description)) };
  }

  /**
   * Adds a supplier or replaces its settings.
   * @throws FORBIDDEN; BAD_REQUEST; CONFLICT where it was changed meanwhile, or would leave open units behind.
   */
  async set(caller: Caller, code: string, given: SetSupplierDto): Promise<SupplierDetailDto> {
    caller.assertConfirmed();
    const { expected_updated_at: at, leave_units: mayLeaveUnits = false, reason } = given;
    const settings = toSettings(code, given);
    this.suppliers.assertTiming(given.timeout_ms);
    if (!mayLeaveUnits) await this.assertNoneLeftBehind(settings);
    const updatedAt = at === undefined || at === null ? null : new Date(at);
    await this.suppliers.set(settings, caller.actor(reason), { updatedAt, secretsStayAtHost: true });
    return this.pages.show(caller, code);
  }

  /** For good. @throws FORBIDDEN; NOT_FOUND; CONFLICT while anything refers to it. */
  async remove(caller: Caller, code: string, { reason }: RemoveSupplierDto): Promise<RemovedSupplierDto> {
    caller.assertConfirmed();
    await this.suppliers.remove(code, caller.actor(reason));
    return { code };
  }

  /** @throws CONFLICT */
  private async assertNoneLeftBehind(settings: SupplierSettings): Promise<void> {
    const units = await this.suppliers.unitsLeftBehind(settings);
    if (!units || units.open === 0) return;
    const message =
      `${settings.code} has ${counted(units.open, 'open unit')}, ${units.inDoubt} in doubt: those in doubt are not sent ` +
      'to the new address or account again, and come to review unless it knows them';
    throw new AppError('CONFLICT', message, {
      details: [{ field: 'leave_units', code: 'UNITS_LEFT_BEHIND', message }],
    });
  }
}

function toSettings(code: string, given: SetSupplierDto): SupplierSettings {
  const { adapter, base_url: baseUrl, credentials, options, low_balance: low } = given;
  return {
    code,
    adapter,
    baseUrl,
    credentials,
    options,
    timeoutMs: given.timeout_ms,
    maxInFlight: given.max_in_flight,
    lowBalanceMicros: typeof low === 'string' ? (parseMicros(low) ?? undefined) : low,
    newCallbackUrl: given.new_callback_url,
  };
}

const toAdapterDto = (description: DescribedAdapter): AdapterDto => ({
  adapter: description.adapter,
  name: description.name,
  base_url: description.baseUrl,
  currency: description.currency,
  credentials: description.credentials.map(({ name, secret, required, help }) => ({ name, secret, required, help })),
  options: description.options.map(({ name, values, help }) => ({
    name,
    help,
    values: values === null ? null : [...values],
  })),
  capabilities: [...description.capabilities],
});
