import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { SupplierBalancesService, type AskedSupplier } from '../suppliers/supplier-balances.service.js';
import { WorkerJob } from './worker-job.js';

/** Asks suppliers that are bought from for our balance, every SUPPLIER_BALANCE_INTERVAL_MS; paused ones are probed instead. */
@Injectable()
export class SupplierBalances extends WorkerJob {
  /** Those that told nothing when last asked: that is worth one line, not one each time. */
  private readonly silent = new Set<string>();

  constructor(
    schema: SchemaService,
    balances: SupplierBalancesService,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    const { SUPPLIER_BALANCE_INTERVAL_MS: intervalMs } = config;
    this.repeatWhenDue({
      intervalMs,
      run: async () => {
        for (const asked of await balances.askDue(intervalMs)) this.report(asked);
      },
      onError: ({ message }) => logger.warn({ reason: message }, 'suppliers could not be asked for balances'),
    });
  }

  private report({ supplier: { code }, problem }: AskedSupplier): void {
    if (problem === null) {
      if (this.silent.delete(code))
        this.logger.info({ supplier: code }, 'a supplier tells our balance again');
    } else if (!this.silent.has(code)) {
      this.silent.add(code);
      this.logger.warn({ supplier: code, detail: problem.detail }, 'a supplier does not tell our balance');
    }
  }
}
