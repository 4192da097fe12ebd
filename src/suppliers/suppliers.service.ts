import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { AppError, UnknownResource } from '../core/errors.js';
import { SecretBox } from '../core/secret-box.js';
import { textProblem } from '../core/text.js';
import { Database } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { timingProblem } from './supplier-timing.js';
import { SupplierRegistry } from './supplier-registry.js';
import type { Supplier } from './supplier.entity.js';
import { SuppliersRepository, type OpenUnits } from './suppliers.repository.js';

export const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 600_000;
export interface SupplierSettings {
  code: string;
  adapter: string;
  baseUrl: string;
  /** A new bearer token, null to remove it, undefined to keep what is there. */
  token?: string | null;
  timeoutMs?: number;
  /** It is the same supplier under another address: it knows the units that were sent to the one before. */
  hasMoved?: boolean;
}

@Injectable()
export class SuppliersService {
  constructor(
    private readonly database: Database,
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly secretBox: SecretBox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Adds a supplier or replaces its settings; a token can't be read back, so one that is not given is kept.
   * @throws BAD_REQUEST
   */
  async set(settings: SupplierSettings, by?: Actor): Promise<Supplier> {
    const { code, adapter, token, timeoutMs = DEFAULT_TIMEOUT_MS } = settings;
    const problem = settingsProblem({ ...settings, timeoutMs });
    if (problem) throw new AppError('BAD_REQUEST', problem);
    const baseUrl = withoutSlash(settings.baseUrl);
    this.registry.get(adapter).readSettings({ baseUrl, token: token ?? null, timeoutMs });
    const row = { code, adapter, base_url: baseUrl, timeout_ms: timeoutMs };
    const tokenSealed = typeof token === 'string' ? this.secretBox.seal(token) : null;
    const detail = {
      code,
      adapter,
      base_url: row.base_url,
      timeout_ms: timeoutMs,
      token: token === undefined ? 'kept' : token === null ? 'removed' : 'replaced',
    };
    return this.database.transaction(async (tx) => {
      const change = { ...row, ...(token === undefined ? {} : { token_sealed: tokenSealed }) };
      const supplier = await this.suppliers.set(tx, change);
      recordAction(tx, by, { action: 'supplier.set', detail });
      if (settings.hasMoved) await this.suppliers.moveUnits(tx, supplier);
      return supplier;
    });
  }

  /**
   * The units that another base URL concerns: those in doubt are not sent there, because it may be somebody else who
   * never saw them.
   * @returns null where the supplier is new, or stays where it is.
   */
  async unitsLeftBehind(code: string, baseUrl: string): Promise<OpenUnits | null> {
    const supplier = await this.suppliers.find(code);
    if (!supplier || supplier.base_url === withoutSlash(baseUrl)) return null;
    return this.suppliers.countOpenUnits(supplier.id);
  }

  /** @throws BAD_REQUEST for a timeout that SUPPLIER_QUIET_PERIOD_MS leaves no room for. */
  assertTiming(timeoutMs: number): void {
    const problem = timingProblem(timeoutMs, this.config.SUPPLIER_QUIET_PERIOD_MS);
    if (problem) throw new AppError('BAD_REQUEST', problem);
  }

  list(): Promise<Supplier[]> {
    return this.suppliers.list();
  }

  /** @throws NOT_FOUND */
  async getByCode(code: string): Promise<Supplier> {
    const supplier = await this.suppliers.find(code);
    if (!supplier) throw new UnknownResource('supplier', code);
    return supplier;
  }
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

function settingsProblem(settings: SupplierSettings & { timeoutMs: number }): string | null {
  const { code, baseUrl, timeoutMs } = settings;
  const codeProblem = textProblem(code, 1, 64);
  if (codeProblem) return `the supplier's code ${codeProblem}`;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (
    !url ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.search ||
    url.hash ||
    url.username ||
    url.password
  ) {
    return 'the base URL must be an http or https URL without credentials, query or fragment';
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    return `the timeout must be a whole number of milliseconds, 1 to ${MAX_TIMEOUT_MS}`;
  }
  return null;
}
