import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { formatMicros } from '../core/cost-money.js';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { pick } from '../core/members.js';
import { counted } from '../core/text.js';
import { present } from '../core/invariant.js';
import { isDuplicate, isLockTimeout } from '../core/postgres-errors.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { CallbackAddressesService, UNOPENED_ADDRESS } from './callback-addresses.service.js';
import { credentialNames, NO_CREDENTIALS, SupplierCredentialsService } from './supplier-credentials.service.js';
import { SupplierBalancesRepository } from './supplier-balances.repository.js';
import { SupplierRegistry } from './supplier-registry.js';
import {
  assertSecretsStay,
  baseUrlOf,
  changed,
  codeProblem,
  DEFAULT_TIMEOUT_MS,
  missingProblem,
  settingsProblem,
  withoutValues,
  type SupplierSettings,
} from './supplier-settings.js';
import { accountOf, destinationOf } from './supplier-account.js';
import { timingProblem } from './supplier-timing.js';
import type { Supplier } from './supplier.entity.js';
import { SuppliersRepository, type OpenUnits, type SupplierRow, type Uses } from './suppliers.repository.js';

/** Conditions for setting a supplier. */
interface SetConditions {
  /** When the supplier was last set, as the operator saw it; null for a new supplier. */
  updatedAt?: Date | null;
  /** Whether the operator must enter stored secrets again for another host. Otherwise an operator could send them to any host. */
  secretsStayAtHost?: boolean;
}

@Injectable()
export class SuppliersService {
  constructor(
    private readonly database: Database,
    private readonly suppliers: SuppliersRepository,
    private readonly balances: SupplierBalancesRepository,
    private readonly registry: SupplierRegistry,
    private readonly credentials: SupplierCredentialsService,
    private readonly callbackAddresses: CallbackAddressesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Adds a supplier or replaces its settings.
   * @throws BAD_REQUEST, also if stored credentials must be opened but can't; CONFLICT if the supplier changed or was added
   * meanwhile.
   */
  async set(
    settings: SupplierSettings,
    by?: Actor,
    { updatedAt, secretsStayAtHost = false }: SetConditions = {},
  ): Promise<Supplier> {
    const problem = codeProblem(settings.code);
    if (problem !== null) throw new AppError('BAD_REQUEST', problem);
    return this.database.transaction(async (tx) => {
      if (await this.suppliers.isBuiltIn(tx, settings.code)) throw isBuiltIn(settings.code);
      const before = await this.suppliers.lock(tx, settings.code);
      if (updatedAt !== undefined && before?.updated_at.getTime() !== updatedAt?.getTime())
        throw new ChangedMeanwhile('the supplier changed meanwhile', 'expected_updated_at');
      const row = this.toRow(settings, before);
      if (before && secretsStayAtHost) this.assertSecretsStay(settings, before, row);
      if (before && isPausedForAnother(before, row)) await this.suppliers.resume(tx, before);
      const supplier = await this.suppliers.set(tx, row, before).catch((error: unknown) => {
        if (!isDuplicate(error, 'uq_suppliers_code')) throw error;
        throw new ChangedMeanwhile('another operator has just added the same supplier', 'expected_updated_at');
      });
      if (before && destinationOf(before) !== destinationOf(supplier)) await this.balances.forget(tx, supplier);
      recordAction(tx, by, { action: 'supplier.set', detail: detailOf(supplier, before, settings) });
      if (settings.hasMoved) await this.suppliers.moveUnits(tx, supplier);
      return supplier;
    });
  }

  /**
   * Removes a supplier with its credentials.
   * @throws NOT_FOUND; CONFLICT, with a message for the operator, while anything refers to it, or if another
   * transaction reads the offers for too long.
   */
  remove(code: string, by?: Actor): Promise<Supplier> {
    return this.database.transaction(async (tx) => {
      const supplier = await this.suppliers.lockForRemoval(tx, code);
      if (!supplier) throw new UnknownResource('supplier', code);
      const problem = usesProblem(await this.suppliers.countUses(tx, supplier.id));
      if (problem !== null) throw new AppError('CONFLICT', `supplier ${code} can't be removed: ${problem}`);
      try {
        await this.suppliers.remove(tx, supplier.id);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        const problem =
          'another transaction uses the offers of suppliers, such as that of a backup: try again after it';
        throw new AppError('CONFLICT', `supplier ${code} can't be removed now: ${problem}`);
      }
      const { adapter, base_url } = supplier;
      recordAction(tx, by, { action: 'supplier.remove', detail: { code, adapter, base_url } });
      return supplier;
    });
  }

  /**
   * Stops all sends to a supplier until an operator resumes it. Inquiries about units in doubt go on, unless they may buy.
   * @throws NOT_FOUND
   */
  pause(code: string, by: Actor): Promise<Supplier> {
    return this.change(code, by, 'supplier.pause', (tx, supplier) =>
      this.suppliers.pause(tx, supplier, by.reason ?? null),
    );
  }

  /** Ends the pause of a supplier, whatever its reason. @throws NOT_FOUND */
  resume(code: string, by: Actor): Promise<Supplier> {
    return this.change(code, by, 'supplier.resume', (tx, supplier) => this.suppliers.resume(tx, supplier));
  }

  /**
   * Counts the supplier's open units, if the settings change its base URL or account. Workers do not send units in
   * doubt to the new address, which may not know them and would sell them again, unless the settings have `hasMoved`.
   * @returns null if the supplier is new, or its address and account stay.
   */
  async unitsLeftBehind(settings: SupplierSettings): Promise<OpenUnits | null> {
    const supplier = await this.suppliers.find(settings.code);
    if (!supplier) return null;
    const moved = {
      base_url: this.baseUrlOf(settings, supplier),
      account: this.accountOf(settings, supplier),
    };
    return destinationOf(supplier) === destinationOf(moved) ? null : this.suppliers.countOpenUnits(supplier.id);
  }

  countOpenUnits({ id }: Supplier): Promise<OpenUnits> {
    return this.suppliers.countOpenUnits(id);
  }

  /** @throws BAD_REQUEST for a timeout that is too long for SUPPLIER_QUIET_PERIOD_MS. */
  assertTiming(timeoutMs: number): void {
    const problem = timingProblem(timeoutMs, this.config.SUPPLIER_QUIET_PERIOD_MS);
    if (problem) throw new AppError('BAD_REQUEST', problem);
  }

  /** Describes each supplier whose timeout contradicts SUPPLIER_QUIET_PERIOD_MS. @throws SERVICE_UNAVAILABLE */
  async listTimingProblems(): Promise<string[]> {
    return (await this.suppliers.listTimeouts()).flatMap(({ code, timeout_ms }) => {
      const problem = timingProblem(timeout_ms, this.config.SUPPLIER_QUIET_PERIOD_MS);
      return problem === null ? [] : [`supplier ${code}: ${problem}`];
    });
  }

  list(which?: { includeSandbox?: boolean }): Promise<Supplier[]> {
    return this.suppliers.list(which);
  }

  /** @throws NOT_FOUND */
  async getByCode(code: string): Promise<Supplier> {
    const supplier = await this.suppliers.find(code);
    if (!supplier) throw new UnknownResource('supplier', code);
    return supplier;
  }

  private change(
    code: string,
    by: Actor,
    action: 'supplier.pause' | 'supplier.resume',
    make: (tx: Transaction, supplier: Supplier) => Promise<void>,
  ): Promise<Supplier> {
    return this.database.transaction(async (tx) => {
      const supplier = await this.suppliers.lock(tx, code);
      if (!supplier) throw new UnknownResource('supplier', code);
      recordAction(tx, by, { action, detail: { code, pause_reason: supplier.pause_reason } });
      await make(tx, supplier);
      return present(await this.suppliers.lock(tx, code), 'a supplier that is locked stays');
    });
  }

  private baseUrlOf({ adapter, baseUrl }: SupplierSettings, before: Supplier | null): string {
    const same = before?.adapter === adapter ? before : undefined;
    return baseUrlOf(this.registry.describe(adapter), baseUrl, same);
  }

  private accountOf(settings: SupplierSettings, before: Supplier | null): string {
    const { adapter, credentials, options, isSameAccount } = settings;
    const same = before?.adapter === adapter ? before : undefined;
    return accountOf({
      description: this.registry.describe(adapter),
      credentials,
      options,
      isSameAccount,
      before: same,
      open: () => (same ? this.credentials.open(same) : {}),
    });
  }

  /**
   * Returns the stored token, because the supplier already calls the address with that token. Returns a new one if none
   * is stored, or if the operator wants a new one.
   * @param before the stored row, if its adapter is the same.
   * @returns null if the adapter takes no callbacks.
   * @throws BAD_REQUEST if new credentials would be sealed with a key that can't open the token: it may be wrong.
   */
  private callbackToken(
    { code, adapter, newCallbackUrl, credentials = {} }: SupplierSettings,
    before: Supplier | undefined,
  ): Buffer | null {
    if (!this.registry.describe(adapter).capabilities.includes('callbacks')) return null;
    const stored = before?.callback_token_sealed ?? null;
    const isEntered = Object.values(credentials).some((value) => value !== null);
    if (stored === null || newCallbackUrl) return this.callbackAddresses.newToken(code);
    if (!isEntered || this.callbackAddresses.tokenOf({ code, callback_token_sealed: stored }) !== null) return stored;
    throw new AppError('BAD_REQUEST', `the callback address of supplier ${code} ${UNOPENED_ADDRESS}`);
  }

  /** @throws BAD_REQUEST */
  private assertSecretsStay({ credentials = {} }: SupplierSettings, before: Supplier, row: SupplierRow): void {
    // If the adapter changes, the stored secrets are dropped, so none can reach the new host.
    if (before.adapter !== row.adapter) return;
    const description = this.registry.describe(row.adapter);
    assertSecretsStay(description, credentialNames(before), credentials, [before.base_url, row.base_url]);
  }

  /** @throws BAD_REQUEST */
  private toRow(settings: SupplierSettings, before: Supplier | null): SupplierRow & Pick<Supplier, 'account'> {
    const { code, adapter, timeoutMs = DEFAULT_TIMEOUT_MS, lowBalanceMicros, maxInFlight } = settings;
    const description = this.registry.describe(adapter);
    const baseUrl = this.baseUrlOf(settings, before);
    const problem = settingsProblem(settings, description, baseUrl);
    if (problem !== null) throw new AppError('BAD_REQUEST', problem);
    // If the adapter changes, its stored credentials and options are dropped: they must not be sent to another kind of supplier.
    const same = before?.adapter === adapter ? before : undefined;
    const sealed = {
      ...(same ? {} : NO_CREDENTIALS),
      ...this.credentials.change(code, same ?? NO_CREDENTIALS, settings.credentials ?? {}),
    };
    const missing = missingProblem(description, credentialNames({ ...NO_CREDENTIALS, ...same, ...sealed }));
    if (missing !== null) throw new AppError('BAD_REQUEST', missing);
    const account = this.accountOf(settings, before);
    return {
      code,
      adapter,
      base_url: baseUrl,
      timeout_ms: timeoutMs,
      ...sealed,
      account,
      callback_token_sealed: this.callbackToken(settings, same),
      options: changed(same?.options ?? {}, settings.options ?? {}),
      low_balance_micros: lowBalanceMicros === undefined ? (same?.low_balance_micros ?? null) : lowBalanceMicros,
      max_in_flight: maxInFlight === undefined ? (same?.max_in_flight ?? null) : maxInFlight,
      // The new settings may work, so workers probe the supplier at once.
      ...(same?.pause_reason === 'credentials' ? { probes: 0, probe_at: new Date() } : {}),
      // The stored readings and the last pause belong to the old address and account.
      ...(same && destinationOf(same) === destinationOf({ base_url: baseUrl, account }) ? {} : NOTHING_KNOWN),
    };
  }
}

/**
 * Whether the service paused the supplier, and the new settings replace its adapter, or the account whose balance was too low. A
 * probe might never end such a pause: the new balance may be lower, and some adapters report none.
 */
const isPausedForAnother = (before: Supplier, after: Pick<Supplier, 'adapter' | 'base_url' | 'account'>): boolean =>
  before.pause_reason !== null &&
  before.pause_reason !== 'operator' &&
  (before.adapter !== after.adapter ||
    (before.pause_reason === 'deposit' && destinationOf(before) !== destinationOf(after)));

const isBuiltIn = (code: string): AppError =>
  new AppError('BAD_REQUEST', `the supplier ${code} is built in, for sandbox merchants: choose another code`);

const NOTHING_KNOWN = {
  balance_micros: null,
  balance_currency: null,
  balance_at: null,
  catalogue_read_at: null,
  product_read_at: null,
  purchases_listed_at: null,
  last_pause_reason: null,
};

/** The settings for the audit log, without the credentials. */
const shown = ({ low_balance_micros: low, ...supplier }: Supplier): Record<string, unknown> => ({
  ...pick(supplier, 'adapter', 'base_url', 'timeout_ms', 'options'),
  low_balance: low === null ? null : formatMicros(low),
  max_in_flight: supplier.max_in_flight,
});

/** A change for the audit log, with the settings before. It has the names of replaced and removed credentials, but no values. */
function detailOf(
  supplier: Supplier,
  before: Supplier | null,
  { credentials = {} }: SupplierSettings,
): Record<string, unknown> {
  const token = before?.adapter === supplier.adapter ? before.callback_token_sealed : null;
  const hasNewUrl = token !== null && !isDeepStrictEqual(token, supplier.callback_token_sealed);
  return {
    code: supplier.code,
    ...shown(supplier),
    credentials: withoutValues(credentials),
    ...(hasNewUrl ? { callback_url: 'replaced' } : {}),
    before: before && shown(before),
  };
}

function usesProblem({ offers, reversals, orders }: Uses): string | null {
  const users = [
    ...(offers > 0 ? [counted(offers, 'offer')] : []),
    ...(orders ? ['units of orders'] : []),
    ...(reversals > 0 ? [counted(reversals, 'discrepancy', 'discrepancies')] : []),
  ];
  if (users.length === 0) return null;
  const staying = orders ? 'orders' : reversals > 0 ? 'discrepancies' : null;
  const advice = staying ? `${staying} stay in the books, and so does their supplier` : 'remove its offers first';
  return `it is in use by ${users.join(', ')}; ${advice}`;
}
