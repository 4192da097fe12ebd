import { Injectable } from '@nestjs/common';
import { present } from '../../core/invariant.js';
import type { Queryable } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import * as sql from './books.sql.js';
import { findingsOf, type Check, type Compared, type Findings } from './check.sql.js';
import { DEPOSIT_CHECKS } from './deposit-checks.sql.js';
import { CLOSINGS_CHECK, LEDGER_CHECKS } from './ledger-checks.js';
import type { Balances, Movements } from './ledger.js';
import { ORDER_CHECKS } from './order-checks.sql.js';
import { UNIT_CHECKS } from './unit-checks.sql.js';
import { DELIVERY_CHECK, MOMENT_CHECKS } from './wallet-checks.sql.js';

export type { Book } from './books.sql.js';

/** A range of ids: `after` excluded, `through` included. */
export interface Range {
  after: bigint;
  through: bigint;
}

/** A check with its findings. */
export type Found = [check: Check, findings: Findings];

/** In each book, the last id that a reading or a closing includes. */
export type Extent = Record<sql.Book, bigint>;

/** The number of orders, and the ids of open ones. */
export interface OrderCount {
  orders: bigint;
  open: bigint[];
}

const OF_ORDERS = [...ORDER_CHECKS, DELIVERY_CHECK, ...UNIT_CHECKS];

/** The checks for closing a month. */
export const MONTH_CHECKS: readonly Check[] = [...Object.values(LEDGER_CHECKS), ...OF_ORDERS];

export const CHECKS: readonly Check[] = [
  MOMENT_CHECKS.merchants,
  LEDGER_CHECKS.available,
  LEDGER_CHECKS.held,
  MOMENT_CHECKS.open,
  MOMENT_CHECKS.lowest,
  LEDGER_CHECKS.entries,
  LEDGER_CHECKS.statements,
  ...OF_ORDERS,
  MOMENT_CHECKS.reversals,
  ...Object.values(DEPOSIT_CHECKS),
  CLOSINGS_CHECK,
];

/** Reads the books in the snapshot of `tx`. */
@Injectable()
export class AuditRepository {
  async extent(tx: Queryable): Promise<Extent> {
    return only(await tx.query<Extent>(sql.EXTENT));
  }

  /** The last id of the next `rows` rows of a range; null without rows. */
  async endOfBatch(tx: Queryable, book: sql.Book, range: Range, rows: number): Promise<bigint | null> {
    const values = [...valuesOf(range), rows];
    return only(await tx.query<{ id: bigint | null }>(sql.END_OF_BATCH[book], values)).id;
  }

  /** Checks the orders of a range of ids. */
  checkOrders(tx: Queryable, range: Range): Promise<Found[]> {
    return compareAll(tx, sql.ORDER_COMPARISONS.range, valuesOf(range));
  }

  /** Checks orders by id. */
  checkNamedOrders(tx: Queryable, ids: readonly bigint[]): Promise<Found[]> {
    return compareAll(tx, sql.ORDER_COMPARISONS.named, [ids]);
  }

  countOrders(tx: Queryable, range: Range): Promise<OrderCount> {
    return count(tx, 'range', valuesOf(range));
  }

  countNamedOrders(tx: Queryable, ids: readonly bigint[]): Promise<OrderCount> {
    return count(tx, 'named', [ids]);
  }

  /** Adds up the movements of a range for each wallet. */
  movements(tx: Queryable, range: Range): Promise<Movements[]> {
    return tx.query<Movements>(withLongTimeout(sql.READ_MOVEMENTS), valuesOf(range));
  }

  checkDeliveries(tx: Queryable, range: Range): Promise<Found[]> {
    return compareAll(tx, [sql.COMPARE_DELIVERIES], valuesOf(range));
  }

  /** Checks rules about the current state. */
  checkMoment(tx: Queryable): Promise<Found[]> {
    return compareAll(tx, sql.MOMENT_COMPARISONS, []);
  }

  balances(tx: Queryable): Promise<Balances[]> {
    return tx.query<Balances>(withLongTimeout(sql.BALANCES));
  }

  /** Lists the numbers of open orders up to the id `through`, except the orders in `known`. */
  async unknownOpen(tx: Queryable, through: bigint, known: readonly bigint[]): Promise<string[]> {
    const rows = await tx.query<{ order_number: string }>(withLongTimeout(sql.UNKNOWN_OPEN), [through, known]);
    return rows.map(({ order_number: number }) => number);
  }
}

const valuesOf = ({ after, through }: Range): bigint[] => [after, through];

const only = <Row>(rows: Row[]): Row => present(rows[0], 'a check answers');

async function compareAll(tx: Queryable, comparisons: readonly sql.Comparison[], values: unknown[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const { statement, checks } of comparisons) {
    const row = only(await tx.query<Compared>(withLongTimeout(statement), values));
    found.push(...checks.map((check): Found => [check, findingsOf(row, check)]));
  }
  return found;
}

async function count(tx: Queryable, choice: sql.Choice, values: unknown[]): Promise<OrderCount> {
  // The driver reads a list of 64-bit integers as text.
  const { orders, open } = only(
    await tx.query<{ orders: bigint; open: string[] }>(withLongTimeout(sql.COUNT_ORDERS[choice]), values),
  );
  return { orders, open: open.map(BigInt) };
}
