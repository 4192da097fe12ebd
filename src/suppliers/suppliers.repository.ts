import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not } from 'typeorm';
import type { CostMoney } from '../core/cost-money.js';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { withLongTimeout } from '../database/snapshot.js';
import { Supplier } from './supplier.entity.js';
import { COUNT_USES, DELETE_SUPPLIER, FIND_TIMEOUTS, NO_STATEMENT_TIMEOUT } from './suppliers.sql.js';

/** Units at a supplier that have not ended. */
export interface OpenUnits {
  open: number;
  /** Those of which it is not known whether they were bought. */
  inDoubt: number;
}

type Timeout = Pick<Supplier, 'code' | 'timeout_ms'>;

/** What keeps a supplier in the books. */
export interface Uses {
  products: number;
  reversals: number;
  /** Whether units of orders were ever bought from it, or will be. */
  orders: boolean;
}

/** What is written of a supplier; of one that is there, what is not given stays. */
export type SupplierRow = Pick<Supplier, 'code' | 'adapter' | 'base_url' | 'timeout_ms' | 'options'> &
  Partial<Omit<Supplier, 'id' | 'created_at' | 'updated_at'>>;

/** Suppliers' settings. Units are named as the orders' folder names their entity, because that builds on this one. */
@Injectable()
export class SuppliersRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  list(): Promise<Supplier[]> {
    return this.dataSource.manager.find(Supplier, { order: { code: 'ASC' } });
  }

  find(code: string): Promise<Supplier | null> {
    return this.dataSource.manager.findOneBy(Supplier, { code });
  }

  /** The id of each supplier, by its code. */
  async idsByCode({ manager }: Transaction): Promise<Map<string, number>> {
    const suppliers = await manager.find(Supplier, { select: { id: true, code: true } });
    return new Map(suppliers.map(({ code, id }) => [code, id]));
  }

  /** @throws SERVICE_UNAVAILABLE */
  listTimeouts(): Promise<Timeout[]> {
    return this.database.query<Timeout>(FIND_TIMEOUTS);
  }

  /** Keeps its settings as they are until the transaction ends. Orders for it go on. */
  lock({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, { where: { code }, lock: { mode: 'for_no_key_update' } });
  }

  /** Keeps every other transaction from referring to it or changing it. */
  lockForRemoval({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, { where: { code }, lock: { mode: 'pessimistic_write' } });
  }

  /** Adds a supplier or replaces its settings. */
  async set({ manager }: Transaction, row: SupplierRow): Promise<Supplier> {
    await manager.upsert(Supplier, row, ['code']);
    return manager.findOneByOrFail(Supplier, { code: row.code });
  }

  async countOpenUnits(supplierId: number): Promise<OpenUnits> {
    const counted = await this.dataSource
      .createQueryBuilder()
      .select('count(*)::int', 'open')
      .addSelect(`(count(*) FILTER (WHERE unit.state <> 'queued'))::int`, 'inDoubt')
      .from('OrderUnit', 'unit')
      .where('unit.supplier_id = :supplierId', { supplierId })
      .andWhere(`(unit.next_action_at IS NOT NULL OR unit.state = 'review')`)
      .getRawOne<OpenUnits>();
    return counted ?? { open: 0, inDoubt: 0 };
  }

  async countUses(tx: Transaction, supplierId: number): Promise<Uses> {
    const [uses] = await tx.query<Uses>(COUNT_USES, [supplierId]);
    return present(uses, 'a count has a row');
  }

  /** PostgreSQL looks through all units for one that refers to it, which takes as long as it takes. */
  async remove(tx: Transaction, supplierId: number): Promise<void> {
    await tx.query(NO_STATEMENT_TIMEOUT);
    await tx.query(withLongTimeout(DELETE_SUPPLIER), [supplierId]);
  }

  /** Keeps what a supplier told, unless it was moved while it was asked. */
  async setBalance({ id, adapter, base_url }: Supplier, { micros, currency }: CostMoney): Promise<void> {
    await this.dataSource
      .createQueryBuilder()
      .update(Supplier)
      .set({
        balance_micros: micros,
        balance_currency: currency,
        balance_at: () => 'statement_timestamp()',
        // No setting was changed.
        updated_at: () => 'updated_at',
      })
      .where({ id, adapter, base_url })
      .execute();
  }

  /** Its open units count as sent to where it is now. */
  async moveUnits({ manager }: Transaction, { id, base_url }: Supplier): Promise<void> {
    const elsewhere = { supplier_id: id, sent_to: Not(base_url), next_action_at: Not(IsNull()) };
    await manager.update('OrderUnit', elsewhere, { sent_to: base_url });
  }
}
