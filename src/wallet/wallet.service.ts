import { Injectable } from '@nestjs/common';
import { AppError, ChangedMeanwhile, UnknownResource } from '../core/errors.js';
import { invariant, present } from '../core/invariant.js';
import { bahtOrNull, formatBaht, MAX_SATANG, type Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
import { Database, type Transaction } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { recordEvents } from '../events/event-log.js';
import { crosses, lowBalanceEvent } from './low-balance.js';
import type { Transfer } from './transfer.entity.js';
import type { Wallet } from './wallet.entity.js';
import { WalletsRepository, type MadeCredit, type OwnedWallet } from './wallets.repository.js';

/** The start of references of credits for payments that arrived, and of debits that take such a credit back. */
const PAYMENT_PREFIX = 'deposit:';

/** A payment that arrived for a merchant. */
interface PaymentCredit {
  merchantId: number;
  amount: Satang;
  /** The public id of the payment. */
  paymentId: string;
  /** The operator who decided whose payment it is; null if the service recognized it. */
  operator: string | null;
  /** The operator who approved the credit, if an approval was needed. */
  approvedBy: string | null;
}

/** A credit or debit that an operator decides, or a credit that a sandbox merchant requests. */
interface Movement extends Actor {
  merchantId: number;
  /** Satang, more than 0. */
  amount: Satang;
  /** Unique per merchant over credits and debits. An operator chose it, or the service made it. */
  reference: string;
  note?: string | undefined;
  /** The available balance that the operator saw: if it has changed, nothing moves. */
  expectedAvailable?: Satang | undefined;
  /** Set for a debit that takes a payment back. Only then may the reference begin with `deposit:`. */
  ofPayment?: true;
  /** Set if a sandbox merchant credits itself. No operator acts, so the audit log gets no record. */
  isOwn?: boolean;
  /** Another operator requested this credit or debit, and `operator` approves it. */
  approval?: { id: number; requester: string; reason: string };
}

/** The result of a credit or debit. */
interface MovementResult {
  wallet: Wallet;
  /** The time at which the money moved. */
  at: Date;
  /** The earlier transfer that this request repeats; null if the money moved now. */
  repeats: { operator: string | null } | null;
  /** The transfer that this request made; null if the request repeats an earlier transfer. */
  transferId: bigint | null;
}

/**
 * Credits and debits by operators, credits of payments, and credits by sandbox merchants. Orders move money in their
 * own transactions.
 */
@Injectable()
export class WalletService {
  constructor(
    private readonly database: Database,
    private readonly wallets: WalletsRepository,
  ) {}

  /** @throws NOT_FOUND */
  async get(merchantId: number): Promise<Wallet> {
    return known(await this.wallets.find(merchantId), merchantId);
  }

  /** All wallets, the lowest available balance first. */
  list(): Promise<OwnedWallet[]> {
    return this.wallets.list();
  }

  /** Adds money. A repetition with the same reference and amount changes nothing. @throws as {@link move}. */
  async credit(movement: Movement): Promise<Wallet> {
    return (await this.move('credit', movement)).wallet;
  }

  /** Removes money. A repetition with the same reference and amount changes nothing. @throws as {@link move}. */
  async debit(movement: Movement): Promise<Wallet> {
    return (await this.move('debit', movement)).wallet;
  }

  /**
   * Credits or debits, and reports whether the request repeats an earlier transfer.
   * @throws NOT_FOUND; BAD_REQUEST; CONFLICT if the reference belongs to a different transfer, or the balance would be too low or
   * too high; CONFLICT with CHANGED_MEANWHILE if `expectedAvailable` is wrong.
   */
  async move(kind: 'credit' | 'debit', movement: Movement): Promise<MovementResult> {
    return this.database.transaction((tx) => this.moveIn(tx, kind, movement));
  }

  /** Credits or debits in the caller's transaction. @throws as {@link move}. */
  async moveIn(tx: Transaction, kind: 'credit' | 'debit', movement: Movement): Promise<MovementResult> {
    assertMovement(movement);
    const { merchantId, amount, reference, note = null, operator, approval } = movement;
    const before = known(await this.wallets.lock(tx, merchantId), merchantId);
    const earlier = await this.findEarlier(tx, kind, movement);
    if (earlier) {
      const repeats = { operator: earlier.operator };
      return { wallet: before, at: earlier.created_at, repeats, transferId: null };
    }
    assertAsExpected(before, movement);
    const availableAfter = before.available + (kind === 'credit' ? amount : -amount);
    if (availableAfter < 0n) {
      const message = `merchant ${merchantId} has only ${formatBaht(before.available)} THB available`;
      throw new AppError('CONFLICT', message);
    }
    if (availableAfter > MAX_SATANG)
      throw new AppError('CONFLICT', `a wallet can hold at most ${formatBaht(MAX_SATANG)} THB`);
    const who = { operator: approval?.requester ?? operator, approvedBy: approval ? operator : null };
    const row = { merchantId, kind, amount, availableAfter, reference, note, ...who };
    const { wallet, transferId } = await this.wallets.move(tx, row);
    recordMovement(tx, `wallet.${kind}`, movement, transferId);
    if (crosses(before.available, wallet.available, wallet.alert_below)) {
      const low = { merchantId, available: wallet.available, threshold: wallet.alert_below };
      await recordEvents(tx, [lowBalanceEvent(low, wallet.updated_at)]);
    }
    return { wallet, at: wallet.updated_at, repeats: null, transferId };
  }

  /**
   * Credits payments that arrived, also to suspended merchants. The caller must credit each payment once; otherwise the unique
   * reference would refuse the second credit. No credit lowers a balance, so none records a `wallet.low_balance` event.
   * @returns the credits by the payments' public ids. A payment that would take its wallet above the maximum gets no credit.
   */
  async creditPayments(tx: Transaction, credits: PaymentCredit[]): Promise<Map<string, MadeCredit>> {
    const locked = await this.wallets.lockMany(
      tx,
      credits.map(({ merchantId }) => merchantId),
    );
    const balances = new Map(locked.map(({ merchant_id, available }) => [merchant_id, available]));
    const rows = credits.flatMap(({ merchantId, amount, paymentId, operator, approvedBy: approved_by }) => {
      const available_after = present(balances.get(merchantId), 'a merchant has a wallet') + amount;
      if (available_after > MAX_SATANG) return [];
      balances.set(merchantId, available_after);
      const reference = referenceOfPayment(paymentId);
      return { merchant_id: merchantId, amount, available_after, reference, operator, approved_by };
    });
    const made = await this.wallets.creditMany(tx, rows);
    invariant(made.length === rows.length, 'each payment gets its own credit');
    return new Map(made.map((credit) => [credit.reference.slice(PAYMENT_PREFIX.length), credit]));
  }

  /** Locks a wallet. @returns its available balance. */
  async lockAvailable(tx: Transaction, merchantId: number): Promise<Satang> {
    return known(await this.wallets.lock(tx, merchantId), merchantId).available;
  }

  /**
   * The sum of a payment's debits until now, and the reference of its next debit. A caller that debits must hold the
   * payment's lock.
   */
  async debitsOf(
    from: Pick<Database, 'manager'>,
    merchantId: number,
    paymentId: string,
  ): Promise<{ amount: Satang; next: string }> {
    let amount = 0n;
    for (let count = 1; ; count++) {
      const next = referenceOfDebit(paymentId, count);
      const earlier = await this.wallets.findMovement(from, merchantId, next);
      if (!earlier) return { amount, next };
      amount += earlier.amount;
    }
  }

  /** The earlier transfer that this request repeats, or null. @throws CONFLICT if the reference belongs to a different transfer. */
  private async findEarlier(
    tx: Transaction,
    kind: string,
    { merchantId, amount, reference }: Movement,
  ): Promise<Transfer | null> {
    const earlier = await this.wallets.findMovement(tx, merchantId, reference);
    if (!earlier || (earlier.kind === kind && earlier.amount === amount)) return earlier;
    const message = `reference ${reference} was already used for a ${earlier.kind} of ${formatBaht(earlier.amount)} THB`;
    throw new AppError('CONFLICT', message);
  }

  /**
   * Sets the threshold for `wallet.low_balance` events, or removes it. The setting itself never records an event: only a movement
   * across the threshold does.
   * @param below satang, more than 0; null for no alert.
   * @throws NOT_FOUND; BAD_REQUEST.
   */
  async setAlert(merchantId: number, below: Satang | null, by: Actor): Promise<Wallet> {
    if (below !== null && (below <= 0n || below > MAX_SATANG)) {
      throw new AppError('BAD_REQUEST', `the threshold must be more than 0.00, and at most ${formatBaht(MAX_SATANG)}`);
    }
    return this.database.transaction(async (tx) => {
      const before = known(await this.wallets.lock(tx, merchantId), merchantId);
      const wallet = await this.wallets.setAlert(tx, merchantId, below);
      const detail = { below: bahtOrNull(below), before: bahtOrNull(before.alert_below) };
      recordAction(tx, by, { action: 'merchant.set_alert', merchantId, detail });
      return wallet;
    });
  }
}

function recordMovement(
  tx: Transaction,
  action: 'wallet.credit' | 'wallet.debit',
  { merchantId, amount, reference, note, approval, isOwn, operator, reason, console }: Movement,
  transferId: bigint,
): void {
  const detail = {
    transfer_id: Number(transferId),
    amount: formatBaht(amount),
    reference,
    note: note ?? null,
    ...(approval && {
      approval_id: approval.id,
      requested_by: approval.requester,
      request_reason: approval.reason,
    }),
  };
  const actor = isOwn ? undefined : { operator, reason, console };
  recordAction(tx, actor, { action, merchantId, detail });
}

/** The reference of a payment's credit. */
export const referenceOfPayment = (paymentId: string): string => `${PAYMENT_PREFIX}${paymentId}`;

/** The reference of a debit that takes a payment back. There is another debit if the vendor takes back more later. */
export const referenceOfDebit = (paymentId: string, count = 1): string =>
  `${referenceOfPayment(paymentId)}:back${count === 1 ? '' : count}`;

/** Checks a credit or debit before it begins, or before an operator requests approval. @throws BAD_REQUEST */
export function assertMovement({
  amount,
  reference,
  note = '',
  operator,
  reason,
  ofPayment,
}: Pick<Movement, 'amount' | 'reference' | 'note' | 'operator' | 'reason' | 'ofPayment'>): void {
  if (amount <= 0n || amount > MAX_SATANG)
    throw new AppError('BAD_REQUEST', `the amount must be more than 0.00, and at most ${formatBaht(MAX_SATANG)}`);
  const problem = textProblem(reference, 1, 128);
  if (problem) throw new AppError('BAD_REQUEST', `the reference ${problem}`);
  if (!ofPayment && reference.startsWith(PAYMENT_PREFIX)) {
    throw new AppError(
      'BAD_REQUEST',
      `the reference must not begin with "${PAYMENT_PREFIX}", which only payments have`,
    );
  }
  const noteProblem = textProblem(note, 0, 500);
  if (noteProblem) throw new AppError('BAD_REQUEST', `the note ${noteProblem}`);
  assertActor({ operator, reason });
}

/** @throws CONFLICT with CHANGED_MEANWHILE */
export function assertAsExpected(
  { merchant_id: id, available }: Pick<Wallet, 'merchant_id' | 'available'>,
  { expectedAvailable }: Pick<Movement, 'expectedAvailable'>,
): void {
  if (expectedAvailable === undefined || expectedAvailable === available) return;
  const message =
    `merchant ${id} has ${formatBaht(available)} THB available now, not ${formatBaht(expectedAvailable)}: ` +
    'nothing was moved';
  throw new ChangedMeanwhile(message, 'expected_available');
}

/** @throws NOT_FOUND */
function known(wallet: Wallet | null, merchantId: number): Wallet {
  if (!wallet) throw new UnknownResource('merchant', merchantId);
  return wallet;
}
