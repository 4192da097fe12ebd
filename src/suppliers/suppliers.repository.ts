import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { present } from '../core/invariant.js';
import { Database, type Statement, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { withLongTimeout } from '../database/snapshot.js';
import { destinationOf } from './supplier-account.js';
import { Supplier, type PauseReason } from './supplier.entity.js';
import { BEGIN_PAUSE, ENDED_BY_PROBE, NEXT_PROBES, NOT_PAUSED, NOW, SAME_SETTINGS } from './supplier-pauses.sql.js';
import type { CatalogueRow } from './supplier-registry.js';
import { MAX_QUERY, QUERY_GAP_MS } from './supplier-timing.js';

/** Units at a supplier that have not ended. */
export interface OpenUnits {
  open: number;
  /** The open units that are no longer queued: the supplier may have sold them. */
  inDoubt: number;
}

type Timeout = Pick<Supplier, 'code' | 'timeout_ms'>;

/** A supplier with a callback address. */
export type CallingSupplier = Pick<
  Supplier,
  | ('id' | 'code' | 'adapter' | 'base_url' | 'options' | 'timeout_ms')
  | ('token_sealed' | 'credentials_sealed' | 'callback_token_sealed')
>;

/** The rows that refer to a supplier. */
export interface Uses {
  offers: number;
  reversals: number;
  /** Whether an item or an attempt refers to the supplier, even in the archive. */
  orders: boolean;
}

/** The columns to write. All other columns of an existing row stay unchanged. */
export type SupplierRow = Pick<Supplier, 'code' | 'adapter' | 'base_url' | 'timeout_ms' | 'options'> &
  Partial<Omit<Supplier, 'id' | 'created_at' | 'updated_at'>>;

interface BegunPause {
  id: number;
  /** When the settings of the refused call were set. */
  updatedAt: Date;
  /** When a pause of the supplier had last ended before the refused call. */
  lastResumedAt: Date | null;
  reason: PauseReason;
  detail: string | null;
  /** The waits before the first and each next probe. */
  probesMs: number[];
  /** The shortest wait before the first probe. */
  minWaitMs: number;
}

interface BegunReading {
  catalogue_read_at: Date;
}

const LIST_TIMEOUTS: Statement = {
  name: 'suppliers.list_timeouts',
  text: `SELECT code, timeout_ms FROM suppliers WHERE id <> ${SANDBOX_SUPPLIER_ID} ORDER BY code`,
};

/** Suppliers with a callback address. */
const LIST_CALLING: Statement = {
  name: 'suppliers.list_calling',
  text: `SELECT id, code, adapter, base_url, options, timeout_ms, token_sealed, credentials_sealed, callback_token_sealed
         FROM suppliers WHERE callback_token_sealed IS NOT NULL`,
};

/** Counts the rows that refer to a supplier. Leaves out units: their index by supplier lacks units that have ended. */
const COUNT_USES: Statement = {
  name: 'suppliers.count_uses',
  text: `SELECT (SELECT count(*)::int FROM supplier_offers WHERE supplier_id = $1) AS offers,
                (SELECT count(*)::int FROM supplier_reversals WHERE supplier_id = $1) AS reversals,
                EXISTS (SELECT FROM order_items WHERE supplier_id = $1)
                  OR EXISTS (SELECT FROM unit_attempts WHERE supplier_id = $1)
                  OR EXISTS (SELECT FROM archived_partitions WHERE $1 = ANY(supplier_ids)) AS orders`,
};

/** Lifts the timeout for the rest of the transaction: the removal of a supplier may take long. */
const NO_STATEMENT_TIMEOUT: Statement = {
  name: 'suppliers.no_statement_timeout',
  text: `SELECT set_config('statement_timeout', '0', true)`,
};

/** Autovacuum yields its lock only after a second. This waits for that while orders go on, and then keeps autovacuum away. */
const KEEP_AUTOVACUUM_AWAY: Statement = {
  name: 'suppliers.keep_autovacuum_away',
  text: 'LOCK TABLE supplier_offers IN SHARE UPDATE EXCLUSIVE MODE',
};

const DELETE_SUPPLIER: Statement = {
  name: 'suppliers.delete',
  text: `DELETE FROM suppliers WHERE id = $1`,
};

/** Records that a reading of the catalogue begins. Changes nothing if the last reading began less than the gap ago. */
const BEGIN_READING = statement(
  'suppliers.begin_reading',
  { id: 'int', gapMs: 'bigint' },
  ({ id, gapMs }) => `
    UPDATE suppliers SET catalogue_read_at = statement_timestamp()
    WHERE id = ${id} AND (catalogue_read_at IS NULL
      OR catalogue_read_at <= statement_timestamp() - ${gapMs} * interval '1 millisecond')
    RETURNING catalogue_read_at`,
);

/** The kinds of calls from the console. Until the time in its column, the next call of a kind must not begin. */
const BLOCKED_UNTIL = { test: 'test_asked_until', inquiry: 'inquiry_asked_until' } as const;
export type QueryKind = keyof typeof BLOCKED_UNTIL;

/**
 * Acquires the lock for a call. In case the process dies, the lock ends by itself after the time of the longest call. While another
 * call has the lock, and during the gap after that call, `until` is null and `wait_ms` is the remaining time.
 */
const lockQuery = (kind: QueryKind, until = BLOCKED_UNTIL[kind]) =>
  statement(
    `suppliers.begin_${kind}`,
    { code: 'text' },
    ({ code }) => `
    WITH taken AS (
      UPDATE suppliers SET ${until} = statement_timestamp() + ${MAX_QUERY}
      WHERE code = ${code} AND coalesce(${until}, '-infinity') <= statement_timestamp()
      RETURNING ${until}::text AS until)
    SELECT (SELECT until FROM taken), (extract(epoch FROM ${until} - statement_timestamp()) * 1000)::float8 AS wait_ms
    FROM suppliers WHERE code = ${code}`,
  );

/** Ends the lock after the gap. Changes nothing if another process has acquired the lock meanwhile. */
const unlockQuery = (kind: QueryKind, until = BLOCKED_UNTIL[kind]) =>
  statement(
    `suppliers.end_${kind}`,
    { code: 'text', until: 'text' },
    ({ code, until: begun }) => `
    UPDATE suppliers SET ${until} = statement_timestamp() + interval '${QUERY_GAP_MS} milliseconds'
    WHERE code = ${code} AND ${until} = ${begun}::timestamptz`,
  );

const LOCK_QUERY = { test: lockQuery('test'), inquiry: lockQuery('inquiry') };
const UNLOCK_QUERY = { test: unlockQuery('test'), inquiry: unlockQuery('inquiry') };

/** Records that a reading begins, for the due supplier with the oldest reading. Skips rows that another process has locked. */
const CLAIM_DUE_READING = statement(
  'suppliers.claim_due_reading',
  { intervalMs: 'bigint', adapters: rowsOf({ adapter: 'text', gap_ms: 'int' }) },
  ({ intervalMs, adapters }) => `
    UPDATE suppliers SET catalogue_read_at = statement_timestamp()
    WHERE id = (
      SELECT s.id FROM suppliers s JOIN ${adapters.as('a')} ON a.adapter = s.adapter
      WHERE s.pause_reason IS NULL
        AND s.updated_at <= statement_timestamp() - a.gap_ms * interval '1 millisecond'
        AND (s.catalogue_read_at IS NULL OR s.catalogue_read_at
          <= statement_timestamp() - greatest(a.gap_ms, ${intervalMs}) * interval '1 millisecond')
        AND EXISTS (SELECT FROM supplier_offers WHERE supplier_id = s.id)
      ORDER BY s.catalogue_read_at NULLS FIRST, s.id
      LIMIT 1 FOR NO KEY UPDATE OF s SKIP LOCKED)
    RETURNING code, catalogue_read_at`,
);

/** The condition for suppliers that operators set: all except the built-in one. */
const SET_BY_OPERATORS = { id: Not(SANDBOX_SUPPLIER_ID) };

/** Suppliers and their settings. Names the entity `OrderUnit` by a string, because its room, `orders`, imports this room. */
@Injectable()
export class SuppliersRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

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

  /** Whether the built-in supplier has this code. */
  isBuiltIn({ manager }: Transaction, code: string): Promise<boolean> {
    return manager.existsBy(Supplier, { id: SANDBOX_SUPPLIER_ID, code });
  }

  /** @throws SERVICE_UNAVAILABLE */
  listTimeouts(): Promise<Timeout[]> {
    return this.database.query<Timeout>(LIST_TIMEOUTS);
  }

  /** @throws SERVICE_UNAVAILABLE */
  listCalling(): Promise<CallingSupplier[]> {
    return this.database.query<CallingSupplier>(LIST_CALLING);
  }

  /** Locks the settings of a supplier until the transaction ends. New orders may still refer to the supplier. */
  lock({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, {
      where: { code, ...SET_BY_OPERATORS },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Locks a supplier until the transaction ends. No other transaction may change it, or refer to it by a foreign key.
   * Rows of orders have no such key: {@link remove} waits for the transactions that write them.
   */
  lockForRemoval({ manager }: Transaction, code: string): Promise<Supplier | null> {
    return manager.findOne(Supplier, {
      where: { code, ...SET_BY_OPERATORS },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Adds a supplier, or replaces the settings of a locked one. @param before null for a new supplier. */
  async set({ manager }: Transaction, row: SupplierRow, before: Supplier | null): Promise<Supplier> {
    if (before) await manager.update(Supplier, { id: before.id }, row);
    else await manager.insert(Supplier, row);
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

  /**
   * Removes a supplier. PostgreSQL first searches, perhaps for long, the tables that refer to suppliers. Only then does
   * it lock the offers (`tg_suppliers_used`), so that orders wait for a short time.
   */
  async remove(tx: Transaction, supplierId: number): Promise<void> {
    await tx.query(NO_STATEMENT_TIMEOUT);
    await tx.query(KEEP_AUTOVACUUM_AWAY);
    await tx.query(withLongTimeout(DELETE_SUPPLIER), [supplierId]);
  }

  /**
   * Pauses a supplier because of a fault.
   * @returns the supplier's code if this call paused it, or gave its pause a more serious reason; otherwise null.
   */
  async beginPause(pause: BegunPause): Promise<string | null> {
    const [paused] = await this.database.query<{ code: string }>(...BEGIN_PAUSE.with(pause));
    return paused?.code ?? null;
  }

  /**
   * Pauses a supplier for an operator. Replaces any other pause but keeps its beginning, because units have waited
   * since then.
   */
  async pause({ manager }: Transaction, { id }: Supplier, detail: string | null): Promise<void> {
    const paused_at = (): string => `coalesce(paused_at, ${NOW})`;
    const paused = { pause_reason: 'operator', pause_detail: detail, paused_at } as const;
    await manager.update(Supplier, { id }, { ...NOT_PAUSED, ...paused, ...SAME_SETTINGS });
  }

  /** Ends a pause for an operator. The next pause does not continue it. */
  async resume({ manager }: Transaction, { id }: Supplier): Promise<void> {
    const resumed = { last_pause_reason: null, last_resumed_at: (): string => NOW };
    await manager.update(Supplier, { id }, { ...NOT_PAUSED, ...resumed, ...SAME_SETTINGS });
    await this.hurryUnits(manager, id);
  }

  /**
   * Ends a pause after a probe. A probe with replaced settings proves nothing about the new ones, but then the next probe
   * comes soon. A probe from before an earlier pause ended changes nothing: calls too early could prolong a new ban.
   * @param supplier the supplier as it was before the probe.
   * @returns false if the supplier is no longer paused for this reason, its settings have changed, or a pause has ended since.
   */
  async endPause({ id, updated_at, last_resumed_at }: Supplier, reason: PauseReason): Promise<boolean> {
    const { manager } = this.dataSource;
    const same = { id, pause_reason: reason, last_resumed_at: last_resumed_at ?? IsNull() };
    const { affected } = await manager.update(Supplier, { ...same, updated_at }, ENDED_BY_PROBE);
    if (affected !== 1) {
      const probe_at = (): string => `least(probe_at, ${NOW} + interval '2 minutes')`;
      await manager.update(Supplier, same, { probe_at, ...SAME_SETTINGS });
      return false;
    }
    await this.hurryUnits(manager, id);
    return true;
  }

  /** Records the first balance since the pause for the deposit began. */
  async notePausedBalance({ id }: Supplier, micros: bigint): Promise<void> {
    const first = { id, pause_reason: 'deposit', paused_balance_micros: IsNull() } as const;
    await this.dataSource.manager.update(Supplier, first, {
      paused_balance_micros: micros,
      ...SAME_SETTINGS,
    });
  }

  /**
   * Claims the suppliers that have a due probe and none in flight, except rows that another process has locked. Writes
   * the time of their next probe, and until when this one may be in flight, in case the process dies.
   * @param nextMs returns the time until the next probe of a supplier; null for none.
   * @returns the suppliers as they were before the claim.
   */
  async claimDueProbes({ manager }: Transaction, nextMs: (supplier: Supplier) => number | null): Promise<Supplier[]> {
    const due = await manager
      .createQueryBuilder(Supplier, 'supplier')
      .where('supplier.probe_at <= statement_timestamp()')
      .andWhere('(supplier.probing_until IS NULL OR supplier.probing_until <= statement_timestamp())')
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getMany();
    for (const supplier of due) {
      const delayMs = nextMs(supplier);
      const probe_at = delayMs === null ? null : () => `${NOW} + interval '${delayMs} ms'`;
      const probing_until = (): string => `${NOW} + ${MAX_QUERY}`;
      const probe = { probes: (): string => NEXT_PROBES, probe_at, probing_until };
      await manager.update(Supplier, supplier.id, { ...probe, ...SAME_SETTINGS });
    }
    return due;
  }

  /** Records that a probe has ended. The next one is not due at once, so that units that have waited for too long can fail. */
  async endProbe({ id }: Supplier): Promise<void> {
    const soon = `${NOW} + interval '5 seconds'`;
    const probe_at = (): string => `CASE WHEN probe_at < ${soon} THEN ${soon} ELSE probe_at END`;
    await this.dataSource.manager.update(Supplier, { id }, { probing_until: null, probe_at, ...SAME_SETTINGS });
  }

  /**
   * Records that a reading of the whole catalogue begins. The caller records it before the call: even if the process dies, no
   * second call follows within the gap.
   * @returns the recorded time; null within the gap after the last reading.
   */
  async beginReading({ id }: Supplier, gapMs: number): Promise<Date | null> {
    const [begun] = await this.database.query<BegunReading>(...BEGIN_READING.with({ id, gapMs: BigInt(gapMs) }));
    return begun?.catalogue_read_at ?? null;
  }

  /**
   * Like {@link beginReading}, for the due supplier with the oldest reading. A supplier is due if it has offers, is not
   * paused, was not read within the interval, and was neither set nor read within the gap of its adapter. Two processes
   * never claim the same supplier.
   * @returns null when none is due.
   */
  async claimDueReading(
    adapters: readonly CatalogueRow[],
    intervalMs: number,
  ): Promise<{ code: string; readAt: Date } | null> {
    const [due] = await this.database.query<BegunReading & Pick<Supplier, 'code'>>(
      ...CLAIM_DUE_READING.with({ adapters, intervalMs: BigInt(intervalMs) }),
    );
    return due ? { code: due.code, readAt: due.catalogue_read_at } : null;
  }

  /**
   * Acquires the lock for a call from the console. One process at a time has this lock.
   * @returns `until`, for {@link unlockQuery}. If `until` is null, another call has the lock, or the gap after it has
   * not passed. Then `wait_ms` is the longest time until the lock ends.
   */
  async lockQuery(kind: QueryKind, code: string): Promise<{ until: string } | { until: null; wait_ms: number }> {
    const [lock] = await this.database.query<{ until: string } | { until: null; wait_ms: number }>(
      ...LOCK_QUERY[kind].with({ code }),
    );
    return present(lock, 'the supplier of a query exists');
  }

  /** Ends the lock of a call, so that the next call may begin after the gap. */
  async unlockQuery(kind: QueryKind, code: string, until: string): Promise<void> {
    await this.database.query(...UNLOCK_QUERY[kind].with({ code, until }));
  }

  /** Makes queued units due at once that wait because the supplier did not accept their last send. */
  private async hurryUnits(manager: EntityManager, supplierId: number): Promise<void> {
    const waiting = {
      supplier_id: supplierId,
      state: 'queued',
      first_sent_at: Not(IsNull()),
      // True of every queued unit: with it, PostgreSQL uses the index of units that have not ended.
      next_action_at: Not(IsNull()),
    };
    await manager.update('OrderUnit', waiting, { next_action_at: () => NOW });
  }

  /**
   * Writes the supplier's present address and account to its due and waiting units. So workers may send them there too,
   * and need not send them to review.
   */
  async moveUnits({ manager }: Transaction, supplier: Supplier): Promise<void> {
    const sent_to = destinationOf(supplier);
    const atOtherAddress = { supplier_id: supplier.id, sent_to: Not(sent_to), next_action_at: Not(IsNull()) };
    await manager.update('OrderUnit', atOtherAddress, { sent_to });
  }
}
