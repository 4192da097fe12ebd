import { Injectable } from '@nestjs/common';
import { SANDBOX_SUPPLIER_ID } from '../../core/sandbox.js';
import { Database } from '../../database/database.js';
import { rowsOf, statement } from '../../database/parameters.js';
import { dueUnitsAt, dueUnitsByMerchantAt } from '../../orders/waiting-units.sql.js';
import type { SupplierState } from './supplier-state.entity.js';

/** Skips removed suppliers. Inserts nothing for a worker that counts as dead, because it has no row in `worker_processes`. */
const WRITE_STATES = statement(
  'supplier_states.write',
  { process: 'text', states: rowsOf({ supplier_id: 'int', breaker: 'text', in_flight: 'int' }) },
  ({ process, states }) => `
    WITH states AS MATERIALIZED (SELECT ${states.names} FROM ${states.as('state')}),
    gone AS (
      DELETE FROM supplier_states WHERE process = ${process} AND supplier_id NOT IN (SELECT supplier_id FROM states))
    INSERT INTO supplier_states (process, ${states.names}, updated_at)
    SELECT w.name, g.supplier_id, g.breaker, g.in_flight, statement_timestamp()
    FROM states g JOIN worker_processes w ON w.name = ${process}
    WHERE EXISTS (SELECT FROM suppliers s WHERE s.id = g.supplier_id)
    ON CONFLICT (process, supplier_id) DO UPDATE
      SET breaker = excluded.breaker, in_flight = excluded.in_flight, updated_at = excluded.updated_at`,
);

const READ_STATES = statement(
  'supplier_states.read',
  {},
  () => `
    SELECT process, supplier_id, breaker, in_flight, updated_at FROM supplier_states
    WHERE supplier_id <> ${SANDBOX_SUPPLIER_ID} ORDER BY process, supplier_id`,
);

/** Counting stops at this number: any larger number is an incident. */
const MAX_COUNTED = 10_000;

const READ_QUEUES = statement(
  'supplier_states.read_queues',
  {},
  () => `
    SELECT s.id AS supplier_id, due.units AS due, due.since AS oldest_due_at
    FROM suppliers s CROSS JOIN LATERAL (${dueUnitsAt('s.id', MAX_COUNTED)}) due
    WHERE s.id <> ${SANDBOX_SUPPLIER_ID}`,
);

const READ_WAITING = statement(
  'supplier_states.read_waiting',
  { supplierId: 'int', limit: 'int' },
  ({ supplierId, limit }) => `
    SELECT waiting.merchant_id, m.name AS merchant, m.weight, waiting.units, waiting.since AS oldest_at
    FROM (${dueUnitsByMerchantAt(supplierId, MAX_COUNTED)}) waiting JOIN merchants m ON m.id = waiting.merchant_id
    ORDER BY waiting.units DESC, waiting.since LIMIT ${limit}`,
);

type WrittenState = Pick<SupplierState, 'supplier_id' | 'breaker' | 'in_flight'>;

/** Units that are due at a supplier. */
export interface SupplierQueue {
  supplier_id: number;
  due: number;
  oldest_due_at: Date | null;
}

const MAX_WAITING_MERCHANTS = 20;

/** A merchant's due units at a supplier. */
interface WaitingMerchant {
  merchant_id: number;
  merchant: string;
  weight: number;
  units: number;
  /** Since when the merchant's oldest unit is due. */
  oldest_at: Date;
}

/** States of suppliers, as workers see them. */
@Injectable()
export class SupplierStatesRepository {
  constructor(private readonly database: Database) {}

  /** Replaces the states that this worker wrote before. A worker that counts as dead writes none. */
  async write(process: string, states: readonly WrittenState[]): Promise<void> {
    await this.database.query(...WRITE_STATES.with({ process, states }));
  }

  read(): Promise<SupplierState[]> {
    return this.database.query<SupplierState>(...READ_STATES.with({}));
  }

  /** Counts the due units of each supplier. A claimed unit is not due while its lease runs. */
  readQueues(): Promise<SupplierQueue[]> {
    return this.database.query<SupplierQueue>(...READ_QUEUES.with({}));
  }

  /** The merchants with due units at a supplier: at most 20, and the merchant with the most units first. */
  readWaiting(supplierId: number): Promise<WaitingMerchant[]> {
    return this.database.query<WaitingMerchant>(...READ_WAITING.with({ supplierId, limit: MAX_WAITING_MERCHANTS }));
  }
}
