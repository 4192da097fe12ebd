import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { withLongTimeout } from '../database/snapshot.js';
import { destinationOf } from './supplier-account.js';
import { Supplier, type PauseReason } from './supplier.entity.js';
import type { CatalogueRow } from './supplier-registry.js';
import {
  BEGIN_ASKING,
  BEGIN_PAUSE,
  BEGIN_READING,
  COUNT_USES,
  DELETE_SUPPLIER,
  END_ASKING,
  FIND_CALLING,
  FIND_TIMEOUTS,
  NO_STATEMENT_TIMEOUT,
  TAKE_DUE_READING,
  type AskedFor,
} from './suppliers.sql.js';

export type { AskedFor } from './suppliers.sql.js';

/** Units at a supplier that have not ended. */
export interface OpenUnits {
  open: number;
  /** Those of which it is not known whether they were bought. */
  inDoubt: number;
}

type Timeout = Pick<Supplier, 'code' | 'timeout_ms'>;

/** A supplier that has an address to call us at. */
export type CallingSupplier = Pick<
  Supplier,
  | ('id' | 'code' | 'adapter' | 'base_url' | 'options' | 'timeout_ms')
  | ('token_sealed' | 'credentials_sealed' | 'callback_token_sealed')
>;

/** What keeps a supplier in the books. */
export interface Uses {
  offers: number;
  reversals: number;
  /** Whether units of orders were ever bought from it, or will be. */
  orders: boolean;
}

/** What is written of a supplier; of one that is there, what is not given stays. */
export type SupplierRow = Pick<Supplier, 'code' | 'adapter' | 'base_url' | 'timeout_ms' | 'options'> &
  Partial<Omit<Supplier, 'id' | 'created_at' | 'updated_at'>>;

interface BegunPause {
  id: number;
  reason: PauseReason;
  detail: string | null;
  probeInMs: number;
}

interface BegunReading {
  catalogue_read_at: Date;
}

const NOW = 'statement_timestamp()';

/** No setting was changed. */
const SAME_SETTINGS = { updated_at: () => 'updated_at' };

const NOT_PAUSED = {
  pause_reason: null,
  pause_detail: null,
  paused_at: null,
  paused_balance_micros: null,
  probes: 0,
  probe_at: null,
};

/** The supplier that is built in has no settings, and operators have nothing to do with it. */
const SET_BY_OPERATORS = { id: Not(SANDBOX_SUPPLIER_ID) };

/** Suppliers' settings. Units are named as the orders' folder names their entity, because that builds on this one. */
@Injectable()
export class SuppliersRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @param which also the one that is built in, if somebody asks for it. */
  list({ includeSandbox = false } = {}): Promise<Supplier[]> {
    const where = includeSandbox ? {} : SET_BY_OPERATORS;
    return this.dataSource.manager.find(Supplier, { where, order: { code: 'ASC' } });
  }

  find(code: string): Promise<Supplier | null> {
    return this.dataSource.manager.findOneBy(Supplier, { code, ...SET_BY_OPERATORS });
  }

  /** The id of each supplier, by its code. */
  async idsByCode({ manager }: Transaction): Promise<Map<string, number>> {
    const suppliers = await manager.find(Supplier, {
      select: { id: true, code: true },
      where: SET_BY_OPERATORS,
    });
    return new Map(suppliers.map(({ code, id }) => [code, id]));
  }

  /** Whether it is the code of the supplier that is built in. */
  isBuiltIn({ manager }: Transaction, code: string): Promise<boolean> {
    return manager.existsBy(Supplier, { id: SANDBOX_SUPPLIER_ID, code });
  }

  /** @throws SERVICE_UNAVAILABLE */
  listTimeouts(): Promise<Timeout[]> {
    return this.database.query<Timeout>(FIND_TIMEOUTS);
  }

  /** @throws SERVICE_UNAVAILABLE */
  listCalling(): Promise<CallingSupplier[]> {
    return this.database.query<CallingSupplier>(FIND_CALLING);
  }

  /** Keeps its settings as they are until the transaction ends. Orders for it go on. */
  lock({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, {
      where: { code, ...SET_BY_OPERATORS },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Keeps every other transaction from referring to it or changing it. */
  lockForRemoval({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, {
      where: { code, ...SET_BY_OPERATORS },
      lock: { mode: 'pessimistic_write' },
    });
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

  /**
   * @param probeInMs when it is asked for our balance.
   * @returns its code if this paused it; null where it was paused already.
   */
  async beginPause({ id, reason, detail, probeInMs }: BegunPause): Promise<string | null> {
    const [paused] = await this.database.query<{ code: string }>(
      ...BEGIN_PAUSE.with({ id, reason, detail, probeInMs }),
    );
    return paused?.code ?? null;
  }

  /** The operator's word counts whatever it is paused for. */
  async pause({ manager }: Transaction, { id }: Supplier, detail: string | null): Promise<void> {
    const paused = { pause_reason: 'operator', pause_detail: detail, paused_at: () => NOW } as const;
    await manager.update(Supplier, { id }, { ...NOT_PAUSED, ...paused, ...SAME_SETTINGS });
  }

  async resume({ manager }: Transaction, { id }: Supplier): Promise<void> {
    await manager.update(Supplier, { id }, { ...NOT_PAUSED, ...SAME_SETTINGS });
    await this.hurryUnits(manager, id);
  }

  /** @returns whether it was still paused for this. */
  async endPause({ id }: Supplier, reason: PauseReason): Promise<boolean> {
    const { manager } = this.dataSource;
    const changed = { ...NOT_PAUSED, ...SAME_SETTINGS };
    const { affected } = await manager.update(Supplier, { id, pause_reason: reason }, changed);
    if (affected !== 1) return false;
    await this.hurryUnits(manager, id);
    return true;
  }

  /** Keeps the first balance that it told since it was paused for the deposit. */
  async notePausedBalance({ id }: Supplier, micros: bigint): Promise<void> {
    const first = { id, pause_reason: 'deposit', paused_balance_micros: IsNull() } as const;
    await this.dataSource.manager.update(Supplier, first, {
      paused_balance_micros: micros,
      ...SAME_SETTINGS,
    });
  }

  /** @param nextMs after how long each is asked again. @returns those that are due to be asked for our balance. */
  async takeDueProbes({ manager }: Transaction, nextMs: (supplier: Supplier) => number | null): Promise<Supplier[]> {
    const due = await manager
      .createQueryBuilder(Supplier, 'supplier')
      .where('supplier.probe_at <= statement_timestamp()')
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getMany();
    for (const supplier of due) {
      const delayMs = nextMs(supplier);
      const probe_at = delayMs === null ? null : () => `${NOW} + interval '${delayMs} ms'`;
      await manager.update(Supplier, supplier.id, { probes: () => 'probes + 1', probe_at, ...SAME_SETTINGS });
    }
    return due;
  }

  /**
   * Notes that its whole catalogue is asked for now: before that is done, so that a process that dies then does not lead
   * to another call within the gap.
   * @returns when that was noted; null within the gap after the last time.
   */
  async beginReading({ id }: Supplier, gapMs: number): Promise<Date | null> {
    const [begun] = await this.database.query<BegunReading>(...BEGIN_READING.with({ id, gapMs: BigInt(gapMs) }));
    return begun?.catalogue_read_at ?? null;
  }

  /**
   * Notes the same of a supplier whose catalogue is due: one that is bought from, not paused, and neither read within
   * the interval nor set or read within the gap of its adapter. None is taken by two processes.
   */
  async takeDueReading(
    adapters: readonly CatalogueRow[],
    intervalMs: number,
  ): Promise<{ code: string; readAt: Date } | null> {
    const [due] = await this.database.query<BegunReading & Pick<Supplier, 'code'>>(
      ...TAKE_DUE_READING.with({ adapters, intervalMs: BigInt(intervalMs) }),
    );
    return due ? { code: due.code, readAt: due.catalogue_read_at } : null;
  }

  /**
   * Takes the turn to ask it by hand, over all processes.
   * @returns a name for {@link endAsking}; else how much of the turn of another, or of the gap after it, is left.
   */
  async beginAsking(what: AskedFor, code: string): Promise<{ until: string } | { until: null; wait_ms: number }> {
    const [turn] = await this.database.query<{ until: string } | { until: null; wait_ms: number }>(
      ...BEGIN_ASKING[what].with({ code }),
    );
    return present(turn, 'who is asked is a supplier');
  }

  /** Lets others ask it when the gap is over. */
  async endAsking(what: AskedFor, code: string, until: string): Promise<void> {
    await this.database.query(...END_ASKING[what].with({ code, until }));
  }

  /** What waits because it was not accepted is due at once. */
  private async hurryUnits(manager: EntityManager, supplierId: number): Promise<void> {
    const waiting = { supplier_id: supplierId, state: 'queued', first_sent_at: Not(IsNull()) };
    await manager.update('OrderUnit', waiting, { next_action_at: () => NOW });
  }

  /** Its open units count as sent to where it is now. */
  async moveUnits({ manager }: Transaction, supplier: Supplier): Promise<void> {
    const sent_to = destinationOf(supplier);
    const elsewhere = { supplier_id: supplier.id, sent_to: Not(sent_to), next_action_at: Not(IsNull()) };
    await manager.update('OrderUnit', elsewhere, { sent_to });
  }
}
