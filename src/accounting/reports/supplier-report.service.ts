import { Injectable } from '@nestjs/common';
import type { Supplier } from '../../suppliers/supplier.entity.js';
import { Database } from '../../database/database.js';
import { whyUnnoticed, type NamedAttempt, type SupplierBalance } from '../../suppliers/supplier-adapter.js';
import { SupplierRegistry } from '../../suppliers/supplier-registry.js';
import { PurchaseListsService, type ListReading } from '../../fulfilment/reconciliation/purchase-lists.service.js';
import type {
  StatedPurchase,
  StatementReading,
  UnclearStatus,
} from '../../fulfilment/reconciliation/purchase-statement.js';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { inSnapshot } from '../../database/snapshot.js';
import { Inquirer, type Answered } from './inquirer.js';
import {
  SupplierReportRepository,
  type Place,
  type EndedAttempt,
  type UnitCounts,
} from './supplier-report.repository.js';

const UNITS_AT_ONCE = 500;

/** A unit of which we and the supplier say different things. */
export interface Difference {
  reference: string;
  ours: 'succeeded' | 'failed';
  theirs: Answered;
  /** What the merchant paid, or got back, in satang. */
  amount: bigint;
}

export interface SupplierComparison {
  supplier: string;
  balance: SupplierBalance;
  counts: UnitCounts;
  agreed: number;
  differences: Difference[];
  /** Units that the supplier gave no usable answer about. */
  unanswered: { count: number; reason: string | null };
  /** Units about which the supplier can't be asked, or only in a way that may buy them. */
  unaskable: number;
  /** Why nobody would notice if it took these back; null where it would be noticed, and where there are none. */
  unnoticed: string | null;
  /** What it lists that it sold; null where it has no list. */
  list: ListReading;
  /** What of the statement was not taken for what it is; null without one. */
  statement: { name: string; passedOver: number; unclear: UnclearStatus[] } | null;
  /** Cases in which it contradicted us, then or now, and that nobody has closed. */
  openCases: number;
}

/** What a supplier says for good of an attempt. */
interface Word {
  unit: EndedAttempt;
  theirs: 'succeeded' | 'failed';
}

/** What a supplier says in writing that it sold us. */
export interface Statement extends StatementReading {
  /** Of its file. */
  name: string;
  /** What was bought before this moment opens no case; all of it may where that is undefined. */
  since?: Date | undefined;
}

type OnProgress = (done: number, total: number, supplier: string) => void;

/** Compares what we say became of units with what their suppliers say (supplier protocol). */
@Injectable()
export class SupplierReportService {
  constructor(
    private readonly database: Database,
    private readonly units: SupplierReportRepository,
    private readonly registry: SupplierRegistry,
    private readonly settlements: SettlementRepository,
    private readonly lists: PurchaseListsService,
  ) {}

  /**
   * Asks a supplier about each unit that was settled, of orders placed since a moment, and each attempt that was given up,
   * and for its own list of what it sold since. What ended never changes again, so it is read in pages, and no transaction
   * is open while the supplier is asked.
   * @param statement is taken for the supplier's list, and for its word about units that it can't be asked about.
   */
  async compare(
    supplier: Supplier,
    since: Date,
    onProgress: OnProgress,
    statement?: Statement,
  ): Promise<SupplierComparison> {
    const connection = this.registry.connect(supplier);
    const counts = await inSnapshot(this.database, (tx) => this.units.countUnits(tx, supplier.id, since));
    const inquirer = new Inquirer(connection, wordsOf(statement));
    const total = Number(counts.succeeded + counts.failed + counts.given_up);
    const differences: Difference[] = [];
    let done = 0;
    onProgress(done, total, supplier.code);
    for await (const units of this.pagesOfEnded(supplier.id, since, counts.first_order_id)) {
      const answers = await inquirer.askAll(units.map(toNamed), () => onProgress(++done, total, supplier.code));
      const words: Word[] = [];
      units.forEach((unit, index) => {
        const theirs = answers[index] ?? null;
        const { reference } = unit;
        if (theirs === 'succeeded' || theirs === 'failed') words.push({ unit, theirs });
        if (theirs === null || !contradicts(unit.state, theirs)) return;
        differences.push({ reference, ours: unit.state, theirs, amount: unit.unit_price });
      });
      await this.recordCases(words, statement === undefined);
    }
    const unanswered = { count: inquirer.unanswered, reason: inquirer.lastProblem };
    const { unaskable } = inquirer;
    const agreed = done - unanswered.count - unaskable - differences.length;
    const stated = soldSince(statement);
    const list = statement
      ? await this.lists.take(supplier, stated, statement.name)
      : await this.lists.read(supplier, since);
    const balance = await connection.adapter.balance(connection.settings);
    const openCases = await this.units.countOpenCases(supplier.id);
    return {
      supplier: supplier.code,
      balance,
      counts,
      agreed,
      differences,
      unanswered,
      unaskable,
      unnoticed: unaskable > 0 ? whyUnnoticed(connection.adapter, () => connection.settings) : null,
      list,
      statement: statement
        ? {
            name: statement.name,
            passedOver: statement.purchases.length - stated.length,
            unclear: statement.unclear,
          }
        : null,
      openCases,
    };
  }

  /**
   * What the supplier says for good, and otherwise than we have it or than it said before, is a case for the operator.
   * @param isNews whether it says so now; a statement may be older than what it said since.
   */
  private async recordCases(words: Word[], isNews: boolean): Promise<void> {
    if (words.length === 0) return;
    const answers = words.map(({ unit: { order_id, item, unit, attempt }, theirs }) => ({
      order_id,
      item,
      unit,
      attempt,
      state: theirs,
      supplier_reference: null,
      detail: 'found by topup report supplier',
      cost_micros: null,
      cost_currency: null,
      is_news: isNews,
    }));
    await this.settlements.judgeUnsettled(this.database, answers);
  }

  private async *pagesOfEnded(supplierId: number, since: Date, firstOrderId: bigint): AsyncGenerator<EndedAttempt[]> {
    let after: Place = { order_id: firstOrderId, item: 0, unit: 0, attempt: 0 };
    for (;;) {
      const units = await this.units.pageOfEnded(supplierId, since, after, UNITS_AT_ONCE);
      if (units.length > 0) yield units;
      const last = units.at(-1);
      if (!last || units.length < UNITS_AT_ONCE) return;
      after = last;
    }
  }
}

/** What a statement does not say to be older. */
const soldSince = ({ purchases, since }: Statement = { name: '', purchases: [], unclear: [] }): StatedPurchase[] =>
  purchases.filter(({ boughtAt }) => !since || !boughtAt || boughtAt >= since);

/** What a statement says of our references, also of older ones: clocks differ. */
const wordsOf = (statement: Statement | undefined): Map<string, Answered> =>
  new Map(
    (statement?.purchases ?? []).flatMap(({ reference, state }) =>
      reference === null || state === null ? [] : [[reference, state] as const],
    ),
  );

/** Whatever became of a unit of the sandbox has become of it by now. */
const toNamed = ({ sku, reference, supplier_reference: supplierReference, ...unit }: EndedAttempt): NamedAttempt => ({
  sku,
  reference,
  supplierReference,
  ...(unit.sandbox_piece === null
    ? {}
    : { sandbox: { kind: unit.kind, userId: unit.user_id, unitNumber: unit.sandbox_piece, ageMs: Infinity } }),
});

/** A failed unit must not be sold, nor become so; a succeeded one must be. */
const contradicts = (ours: 'succeeded' | 'failed', theirs: Answered): boolean =>
  ours === 'succeeded' ? theirs !== 'succeeded' : theirs === 'succeeded' || theirs === 'processing';
