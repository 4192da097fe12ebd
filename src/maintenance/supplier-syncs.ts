import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Refusal } from '../catalog/catalogue-difference.js';
import { SupplierSyncService, type SyncRun } from '../catalog/supplier-sync.service.js';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { Recurring } from './recurring.js';

/** How often each worker looks whether a catalogue is due. */
const LOOK_EVERY_MS = 10_000;

/** Reads the catalogues of suppliers that are bought from, one after the other, every SUPPLIER_SYNC_INTERVAL_MS. */
@Injectable()
export class SupplierSyncs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly syncing: Recurring;

  constructor(
    schema: SchemaService,
    private readonly syncs: SupplierSyncService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.syncing = new Recurring({
      whenReady: () => schema.whenReady(),
      intervalMs: Math.min(LOOK_EVERY_MS, config.SUPPLIER_SYNC_INTERVAL_MS),
      run: (stop) => this.syncAllDue(stop),
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'the catalogues of suppliers could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    if (this.config.SUPPLIER_SYNC_INTERVAL_MS > 0) this.syncing.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.syncing.stop();
  }

  private async syncAllDue(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const run = await this.syncs.syncDue(this.config.SUPPLIER_SYNC_INTERVAL_MS);
      if (!run) return;
      this.report(run);
    }
  }

  private report({ supplier, refusal, ...counts }: SyncRun): void {
    const about = { supplier: supplier.code };
    if (refusal === null) this.logger.info({ ...about, ...counts }, 'the catalogue of a supplier was read');
    else
      this.logger.warn(
        { ...about, seen: counts.seen, ...loggable(refusal) },
        'the catalogue of a supplier was not taken over, and stays as it was',
      );
  }
}

const loggable = ({ kind, ...more }: Refusal): object => ({ reason: kind, ...more });
