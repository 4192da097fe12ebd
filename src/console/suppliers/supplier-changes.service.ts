import { Injectable } from '@nestjs/common';
import { recordAction } from '../../audit-log/audit-log.js';
import { SupplierSyncService } from '../../catalog/supplier-sync.service.js';
import { parseMicros } from '../../core/cost-money.js';
import { refusal } from '../../core/errors.js';
import { pick } from '../../core/members.js';
import { counted } from '../../core/text.js';
import { Database } from '../../database/database.js';
import type { DescribedAdapter } from '../../suppliers/adapter-description.js';
import { ADAPTERS } from '../../suppliers/adapters.js';
import { SupplierCheckService } from '../../suppliers/supplier-check.service.js';
import { SupplierQueriesService } from '../../suppliers/supplier-queries.service.js';
import type { SupplierSettings } from '../../suppliers/supplier-settings.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { Caller } from '../access/caller.js';
import type { AdapterDto, AdaptersDto, RemovedSupplierDto, SetSupplierDto } from './supplier-settings.dto.js';
import { SupplierViewsService } from './supplier-views.service.js';
import type { SupplierDetailDto, SupplierTestDto, SyncDoneDto, SyncDto } from './supplier.dto.js';
import { toCheckDto, toSyncDto } from './supplier.mapper.js';

/** Changes suppliers and their settings. Operators confirm changes of settings, because these decide where money goes. */
@Injectable()
export class SupplierChangesService {
  constructor(
    private readonly suppliers: SuppliersService,
    private readonly checks: SupplierCheckService,
    private readonly queries: SupplierQueriesService,
    private readonly database: Database,
    private readonly catalogues: SupplierSyncService,
    private readonly views: SupplierViewsService,
  ) {}

  async pause(caller: Caller, code: string, reason: string): Promise<SupplierDetailDto> {
    await this.suppliers.pause(code, caller.actor(reason));
    return this.views.show(caller, code);
  }

  async resume(caller: Caller, code: string): Promise<SupplierDetailDto> {
    await this.suppliers.resume(code, caller.actor());
    return this.views.show(caller, code);
  }

  /** Queries a supplier for its balance and catalogue, and buys nothing. @throws NOT_FOUND; TOO_MANY_REQUESTS */
  async test(caller: Caller, code: string): Promise<SupplierTestDto> {
    const supplier = await this.suppliers.getByCode(code);
    const found = await this.queries.run('test', code, () => this.checks.check(supplier));
    const checks = found.map(toCheckDto);
    const ok = checks.every((each) => each.ok);
    await this.database.transaction((tx) =>
      recordAction(tx, caller.actor(), { action: 'supplier.test', detail: { code, ok } }),
    );
    return { ok, checks };
  }

  /** @throws NOT_FOUND; BAD_REQUEST where its adapter reads no catalogues. */
  async sync(caller: Caller, code: string, { dry_run: dryRun, force = false }: SyncDto): Promise<SyncDoneDto> {
    return toSyncDto(await this.catalogues.sync(code, { dryRun, force }, caller.actor()));
  }

  /** The adapters, with the credentials and options that each takes. */
  adapters(): AdaptersDto {
    return { data: ADAPTERS.map(({ description }) => toAdapterDto(description)) };
  }

  /** @throws FORBIDDEN; BAD_REQUEST; CONFLICT where the settings changed meanwhile, or would leave open units behind. */
  async set(caller: Caller, code: string, given: SetSupplierDto): Promise<SupplierDetailDto> {
    const { expected_updated_at: at, leave_units: mayLeaveUnits = false, reason } = given;
    const by = caller.confirmedActor(reason);
    const settings = toSettings(code, given);
    this.suppliers.assertTiming(given.timeout_ms);
    if (!mayLeaveUnits) await this.assertNoneLeftBehind(settings);
    const updatedAt = at ? new Date(at) : null;
    await this.suppliers.set(settings, by, { updatedAt, secretsStayAtHost: true });
    return this.views.show(caller, code);
  }

  /** @throws FORBIDDEN; NOT_FOUND; CONFLICT while anything refers to the supplier. */
  async remove(caller: Caller, code: string, reason?: string): Promise<RemovedSupplierDto> {
    await this.suppliers.remove(code, caller.confirmedActor(reason));
    return { code };
  }

  private async assertNoneLeftBehind(settings: SupplierSettings): Promise<void> {
    const units = await this.suppliers.unitsLeftBehind(settings);
    if (!units || units.open === 0) return;
    const message =
      `${settings.code} has ${counted(units.open, 'open unit')}, ${units.inDoubt} in doubt: those in doubt are not sent ` +
      'to the new address or account again, and go to review unless the supplier knows them there';
    throw refusal('CONFLICT', 'UNITS_LEFT_BEHIND', 'leave_units', message);
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
  ...pick(description, 'adapter', 'name', 'currency'),
  base_url: description.baseUrl,
  credentials: description.credentials.map((each) => pick(each, 'name', 'secret', 'required', 'help')),
  options: description.options.map(({ values, ...option }) => ({
    ...pick(option, 'name', 'help'),
    values: values === null ? null : [...values],
  })),
  capabilities: [...description.capabilities],
});
