import { Injectable } from '@nestjs/common';
import type { Supplier } from '../../suppliers/supplier.entity.js';
import { groupBy } from '../../core/groups.js';
import { Database } from '../../database/database.js';
import { whyUnnoticed, type NamedAttempt, type SupplierBalance } from '../../suppliers/supplier-adapter.js';
import { SupplierPausesService } from '../../suppliers/supplier-pauses.service.js';
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

const ATTEMPTS_AT_ONCE = 500;

/** An attempt whose state differs between our books and the supplier's. */
export interface Difference {
  reference: string;
  ours: 'succeeded' | 'failed';
  theirs: Answered;
  /** The price of the unit, in satang. */
  amount: bigint;
}

export interface SupplierComparison {
  supplier: string;
  balance: SupplierBalance;
  counts: UnitCounts;
  agreed: number;
  differences: Difference[];
  /** Attempts without a usable answer of the supplier. */
  unanswered: { count: number; reason: string | null };
  /** Attempts that are not in the statement, and that the supplier can't be queried about without the risk of buying. */
  unaskable: number;
  /**
   * Why the service would not notice if the supplier contradicts itself about an `unaskable` attempt; null if the service would notice,
   * if no setting could change that, or without such attempts.
   */
  unnoticed: string | null;
  /** The result of reading the supplier's list of purchases, or of the statement that replaces it; null also if no call may begin. */
  list: ListReading;
  /** Entries of the statement that open no discrepancy or are unclear; null without a statement. */
  statement: { name: string; passedOver: number; unclear: UnclearStatus[] } | null;
  /** Open discrepancies, old and new. */
  openDiscrepancies: number;
}

/** A supplier's final result for an attempt. */
interface FinalResult {
  attempt: EndedAttempt;
  theirs: 'succeeded' | 'failed';
}

/** A supplier's statement of what it sold us, from a file. */
export interface Statement extends StatementReading {
  /** The name of the file. */
  name: string;
  /** Purchases before this time open no discrepancy. */
  since?: Date | undefined;
}

type OnProgress = (done: number, total: number, supplier: string) => void;

/** Compares the states of units with the suppliers' results (supplier protocol). */
@Injectable()
export class SupplierReportService {
  constructor(
    private readonly database: Database,
    private readonly units: SupplierReportRepository,
    private readonly registry: SupplierRegistry,
    private readonly pauses: SupplierPausesService,
    private readonly settlements: SettlementRepository,
    private readonly lists: PurchaseListsService,
  ) {}

  /**
   * Queries a supplier about each settled unit and each earlier attempt of orders placed since a time. Also reads the
   * supplier's list of sales. Records a discrepancy for each final result that contradicts our books. Ended attempts
   * never change, so this reads them in pages without a transaction.
   * @param statement replaces the supplier's list, and has the results of attempts that can't be queried.
   */
  async compare(
    supplier: Supplier,
    since: Date,
    onProgress: OnProgress,
    statement?: Statement,
  ): Promise<SupplierComparison> {
    const connection = this.registry.tryConnect(supplier);
    const counts = await inSnapshot(this.database, (tx) => this.units.countUnits(tx, supplier.id, since));
    let called = supplier;
    const inquirer = new Inquirer(this.registry.find(supplier.adapter), connection, {
      maxInFlight: supplier.max_in_flight,
      // Includes purchases from before `since`, because clocks differ.
      listed: groupBy(statement?.purchases ?? [], ({ reference }) => reference),
      findBar: async () => {
        const { bar, last_resumed_at } = await this.pauses.findBar(supplier);
        // The report may be long, and a pause may end meanwhile. But its calls keep the settings of its beginning.
        called = { ...supplier, last_resumed_at };
        return bar;
      },
      onRefusal: (refusal) => this.pauses.beginFor(called, refusal),
    });
    const total = Number(counts.succeeded + counts.failed + counts.given_up);
    const differences: Difference[] = [];
    let done = 0;
    onProgress(done, total, supplier.code);
    const balance = await inquirer.balance();
    for await (const attempts of this.pagesOfEnded(supplier.id, since, counts.first_order_id)) {
      const answers = await inquirer.queryAll(attempts.map(toNamed), () => onProgress(++done, total, supplier.code));
      const finalResults: FinalResult[] = [];
      attempts.forEach((attempt, index) => {
        const theirs = answers[index] ?? null;
        const { reference } = attempt;
        if (theirs === 'succeeded' || theirs === 'failed') finalResults.push({ attempt, theirs });
        if (theirs === null || !contradicts(attempt.state, theirs)) return;
        differences.push({ reference, ours: attempt.state, theirs, amount: attempt.unit_price });
      });
      await this.recordDiscrepancies(finalResults, statement === undefined);
    }
    const unanswered = { count: inquirer.unanswered, reason: inquirer.problem };
    const { unaskable } = inquirer;
    const agreed = done - unanswered.count - unaskable - differences.length;
    const stated = soldSince(statement);
    const readList = async (): Promise<ListReading> => (inquirer.bar ? null : this.lists.read(supplier, since));
    const list = statement ? await this.lists.compareStatement(supplier, stated, statement.name) : await readList();
    // A list may be long, and the caller may end the report meanwhile.
    onProgress(done, total, supplier.code);
    const openDiscrepancies = await this.units.countOpenDiscrepancies(supplier.id);
    return {
      supplier: supplier.code,
      balance,
      counts,
      agreed,
      differences,
      unanswered,
      unaskable,
      unnoticed:
        unaskable > 0 && !('known' in connection) ? whyUnnoticed(connection.adapter, () => connection.settings) : null,
      list,
      statement: statement
        ? {
            name: statement.name,
            passedOver: statement.purchases.length - stated.length,
            unclear: statement.unclear,
          }
        : null,
      openDiscrepancies,
    };
  }

  /**
   * Records a discrepancy if a final result contradicts our state or an earlier result.
   * @param isNews whether the result is current. A statement may be older than a result that the service already knows.
   */
  private async recordDiscrepancies(finalResults: FinalResult[], isNews: boolean): Promise<void> {
    if (finalResults.length === 0) return;
    const answers = finalResults.map(({ attempt: { order_id, item, unit, attempt }, theirs }) => ({
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
    await this.database.transaction((tx) => this.settlements.judgeReports(tx, answers));
  }

  private async *pagesOfEnded(supplierId: number, since: Date, firstOrderId: bigint): AsyncGenerator<EndedAttempt[]> {
    let after: Place = { order_id: firstOrderId, item: 0, unit: 0, attempt: 0 };
    for (;;) {
      const attempts = await this.units.pageOfEnded(supplierId, since, after, ATTEMPTS_AT_ONCE);
      if (attempts.length > 0) yield attempts;
      const last = attempts.at(-1);
      if (!last || attempts.length < ATTEMPTS_AT_ONCE) return;
      after = last;
    }
  }
}

/** The purchases of a statement, except those before `since`. */
const soldSince = ({ purchases, since }: Statement = { name: '', purchases: [], unclear: [] }): StatedPurchase[] =>
  purchases.filter(({ boughtAt }) => !since || !boughtAt || boughtAt >= since);

/** The attempt has ended, so the infinite age makes the sandbox answer with the final result. */
const toNamed = ({
  sku,
  reference,
  supplier_reference: supplierReference,
  ...attempt
}: EndedAttempt): NamedAttempt => ({
  sku,
  reference,
  supplierReference,
  ...(attempt.sandbox_unit === null
    ? {}
    : { sandbox: { kind: attempt.kind, userId: attempt.user_id, unitNumber: attempt.sandbox_unit, ageMs: Infinity } }),
});

/** The supplier must have sold a succeeded unit. A failed unit must neither be sold nor in progress there. */
const contradicts = (ours: 'succeeded' | 'failed', theirs: Answered): boolean =>
  ours === 'succeeded' ? theirs !== 'succeeded' : theirs === 'succeeded' || theirs === 'processing';
