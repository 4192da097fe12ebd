import { Inject, Injectable } from '@nestjs/common';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { LOGGER } from '../core/core.module.js';
import { AppError, UnknownResource } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database } from '../database/database.js';
import type { SupplierProduct as Listed } from '../suppliers/supplier-adapter.js';
import { SupplierPausesService } from '../suppliers/supplier-pauses.service.js';
import { SupplierRegistry, type SupplierConnection } from '../suppliers/supplier-registry.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersRepository } from '../suppliers/suppliers.repository.js';
import { difference, implausibility, lastReadAt, type Overrulable, type Refusal } from './catalogue-difference.js';
import { CATALOGUES_FAILED } from './product-reads.service.js';
import { SupplierCataloguesRepository, type ItemFilter, type MappedItem } from './supplier-catalogues.repository.js';

/** Numbers of SKUs in a reading. If the reading is refused, nothing changed, and all but `seen` are 0. */
interface SyncCounts {
  /** SKUs that the catalogue lists now. */
  seen: number;
  added: number;
  removed: number;
  price_changed: number;
  availability_changed: number;
}

/** The result of reading a supplier's catalogue. */
export interface SyncRun extends SyncCounts {
  supplier: Supplier;
  refusal: Refusal | null;
}

export interface SyncOptions {
  /** Reads and compares, but changes neither catalogue nor offers. The gap after a reading begins all the same. */
  dryRun?: boolean;
  /** Does not refuse for these reasons. The gap between readings is ignored only if we chose it, not the supplier. */
  accept?: readonly Overrulable[];
  /** Accepts a shrunken catalogue of at least this many SKUs: the number that the operator saw. */
  atLeast?: number;
  /** As `accept` with all of them. */
  force?: boolean;
}

/** A reading whose beginning is stored, and whose call is still to be made. */
interface BegunRun {
  supplier: Supplier;
  readAt: Date;
  connection: SupplierConnection;
}

/** Reads the catalogues of suppliers, and updates their offers. */
@Injectable()
export class SupplierSyncService {
  /**
   * The last preview of each supplier in this process, by the supplier's id. A preview is a reading, and a supplier may
   * allow no second one for minutes: then the products of the preview are applied. With other settings, such as another country,
   * the catalogue may be another one, so a preview counts only for the settings of `updatedAt`.
   */
  private readonly previews = new Map<number, { readAt: Date; updatedAt: Date; products: Listed[] }>();

  constructor(
    private readonly database: Database,
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly pauses: SupplierPausesService,
    private readonly catalogues: SupplierCataloguesRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Reads a supplier's whole catalogue now, even if the supplier is paused. If the last reading began less than the gap
   * ago, applies its products if it was a preview in this process with the same settings, and otherwise refuses as `too_soon`.
   * @throws NOT_FOUND; BAD_REQUEST if the supplier's adapter reads no catalogues, or as {@link assertActor}.
   */
  async sync(code: string, options: SyncOptions = {}, by?: Actor): Promise<SyncRun> {
    if (by) assertActor(by);
    const supplier = await this.get(code);
    const catalogue = this.registry.find(supplier.adapter)?.catalogue;
    if (!catalogue) {
      throw new AppError('BAD_REQUEST', `supplier ${code}: the adapter ${supplier.adapter} reads no catalogue`);
    }
    // Connects first: without a connection there is no call, so the gap after a reading must not begin.
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return refused(supplier, { kind: 'unavailable', problem: connection });
    const { minGapMs, isGapOurs = false } = catalogue;
    const readAt = await this.suppliers.beginReading(
      supplier,
      isGapOurs && accepts(options, 'too_soon') ? 0 : minGapMs,
    );
    if (readAt) return this.read({ supplier, readAt, connection }, options, by);
    const last = (await this.get(code)).catalogue_read_at ?? new Date();
    const read = this.previews.get(supplier.id);
    if (
      !options.dryRun &&
      read?.readAt.getTime() === last.getTime() &&
      read.updatedAt.getTime() === supplier.updated_at.getTime()
    )
      return this.apply({ supplier, readAt: last, connection }, read.products, options, by);
    const nextAt = new Date(last.getTime() + minGapMs);
    return refused(supplier, { kind: 'too_soon', readAt: last, nextAt, isGapOurs });
  }

  @WorkerTask('supplier_catalogues', { dueBy: 'SUPPLIER_SYNC_INTERVAL_MS', failed: CATALOGUES_FAILED })
  async syncAllDue(stop: AbortSignal, intervalMs: number): Promise<void> {
    while (!stop.aborted) {
      const run = await this.syncDue(intervalMs);
      if (!run) return;
      this.report(run);
    }
  }

  /**
   * Reads the catalogue of one due supplier, which has offers and is not paused. No other worker claims the same
   * reading, but an operator may read the same catalogue with {@link sync}.
   * @returns null if no supplier is due.
   */
  async syncDue(intervalMs: number): Promise<SyncRun | null> {
    const due = await this.suppliers.claimDueReading(this.registry.catalogues, intervalMs);
    if (!due) return null;
    const supplier = await this.get(due.code);
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return refused(supplier, { kind: 'unavailable', problem: connection });
    return this.read({ supplier, readAt: due.readAt, connection });
  }

  /** The items of a supplier's catalogue by the last reading. @throws NOT_FOUND */
  async list(code: string, filter: ItemFilter = {}): Promise<MappedItem[]> {
    return this.catalogues.list(await this.get(code), filter);
  }

  private async get(code: string): Promise<Supplier> {
    const supplier = await this.suppliers.find(code);
    if (!supplier) throw new UnknownResource('supplier', code);
    return supplier;
  }

  private report({ supplier, refusal, ...counts }: SyncRun): void {
    const about = { supplier: supplier.code };
    if (refusal === null) this.logger.info({ ...about, ...counts }, 'the catalogue of a supplier was read');
    else {
      const { kind: reason, ...more } = refusal;
      this.logger.warn(
        { ...about, seen: counts.seen, reason, ...more },
        'the catalogue of a supplier was refused or could not be read, and stays as it was',
      );
    }
  }

  private async read(begun: BegunRun, options: SyncOptions = {}, by?: Actor): Promise<SyncRun> {
    const { supplier, connection } = begun;
    const { catalogue } = connection.adapter;
    // An operator gave the supplier another adapter meanwhile.
    if (!catalogue) return refused(supplier, { kind: 'overtaken' });
    const reading = await catalogue.read(connection.settings);
    if (!reading.known) {
      if (!options.dryRun) await this.pauses.beginFor(supplier, reading);
      return refused(supplier, { kind: 'unavailable', problem: reading });
    }
    const { readAt } = begun;
    const { updated_at: updatedAt } = supplier;
    if (options.dryRun) this.previews.set(supplier.id, { readAt, updatedAt, products: reading.products });
    return this.apply(begun, reading.products, options, by);
  }

  private apply(
    { supplier, readAt }: BegunRun,
    products: Listed[],
    options: SyncOptions,
    by?: Actor,
  ): Promise<SyncRun> {
    return this.database.transaction(async (tx) => {
      const { code } = supplier;
      const now = await this.suppliers.lock(tx, code);
      if (!now) throw new UnknownResource('supplier', code);
      // A newer reading has begun, or an operator changed the address or account, whose catalogue was not read.
      if (now.catalogue_read_at?.getTime() !== readAt.getTime()) return refused(supplier, { kind: 'overtaken' });
      const before = await this.catalogues.listAll(tx, supplier);
      const { atLeast } = options;
      const fewest = atLeast ?? (accepts(options, 'shrunk') ? 0 : Infinity);
      const refusal = implausibility(products, before, fewest);
      if (refusal) return refused(supplier, refusal, new Set(products.map(({ sku }) => sku)).size);
      // If a SKU was read alone since this reading began, that result is newer than this list.
      const newer = new Set(before.filter((row) => lastReadAt(row) > readAt).map(({ sku }) => sku));
      const isOlder = ({ sku }: { sku: string }): boolean => !newer.has(sku);
      const found = difference(products.filter(isOlder), before.filter(isOlder));
      const counts: SyncCounts = {
        seen: new Set(products.map(({ sku }) => sku)).size,
        added: found.added,
        removed: found.gone.length,
        price_changed: found.priceChanged,
        availability_changed: found.availabilityChanged,
      };
      if (!options.dryRun) {
        this.catalogues.write(tx, supplier, found, readAt);
        const accepted = atLeast === undefined ? { force: fewest < Infinity } : { force: false, at_least: atLeast };
        recordAction(tx, by, { action: 'supplier.sync', detail: { code, ...counts, ...accepted } });
      }
      return { supplier, ...counts, refusal: null };
    });
  }
}

const accepts = ({ accept = [], force = false }: SyncOptions, kind: Overrulable): boolean =>
  force || accept.includes(kind);

function refused(supplier: Supplier, refusal: Refusal, seen = 0): SyncRun {
  const none = { added: 0, removed: 0, price_changed: 0, availability_changed: 0 };
  return { supplier, seen, ...none, refusal };
}
