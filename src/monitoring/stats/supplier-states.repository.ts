import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { READ_QUEUES, READ_STATES, WRITE_STATES } from './supplier-states.sql.js';
import type { SupplierState } from './supplier-state.entity.js';

export type WrittenState = Pick<SupplierState, 'supplier_id' | 'breaker' | 'in_flight'>;

/** Units that wait for a supplier. */
export interface SupplierQueue {
  supplier_id: number;
  due: number;
  oldest_due_at: Date | null;
}

/** How workers find suppliers. */
@Injectable()
export class SupplierStatesRepository {
  constructor(private readonly database: Database) {}

  /** Replaces what a worker wrote before. Nothing is kept of a worker that counts as dead. */
  async write(process: string, states: readonly WrittenState[]): Promise<void> {
    await this.database.query(...WRITE_STATES.with({ process, states }));
  }

  read(): Promise<SupplierState[]> {
    return this.database.query<SupplierState>(...READ_STATES.with({}));
  }

  /** Of each supplier, what is due and in no worker's hands. */
  readQueues(): Promise<SupplierQueue[]> {
    return this.database.query<SupplierQueue>(...READ_QUEUES.with({}));
  }
}
