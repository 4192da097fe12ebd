import {
  type Created,
  type Fate,
  INTEREST,
  type Kind,
  type Movement,
  type Order,
  OWN_TRANSFER,
  partOf,
} from './model.js';
import { Random } from './random.js';

/** A deposit that was made, with its fate. */
export interface Fated {
  readonly created: Created;
  readonly fate: Fate;
}

const TRANSFER_IN = 'รับโอนเงิน';
const PAYMENT_OUT = 'ชำระเงิน';
const NAMES = ['สมชาย', 'วิไล', 'อนันต์', 'มาลี', 'ประเสริฐ', 'กมล', 'นภา', 'ธีรพล'];

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A reader may refuse lines that are more than a day ahead of the clock. */
const AHEAD = 23 * HOUR;
const PAYING_SECONDS = 600;
const CLOCK_ERROR = 2 * MINUTE;
/** Strangers' payments of a dealt amount are at least so far from its time. */
const APART = 2 * MINUTE;

/** The accounts of a plan, of which `index` is one. */
interface Part extends Order {
  readonly index: number;
  readonly count: number;
}

/** All movements of an account, in the order of the bank's clock. */
export function movementsOf(deposits: readonly Fated[], part: Part): Movement[] {
  if (deposits.length === 0) return [];
  const movements = new Movements(deposits, part);
  for (const deposit of deposits) movements.addPayments(deposit);
  movements.addOthers();
  return movements.all.toSorted((one, other) => one.atMs - other.atMs);
}

class Movements {
  readonly all: Movement[] = [];
  private readonly random: Random;
  private readonly dealt: ReadonlySet<number>;
  private readonly firstMs: number;
  private readonly lastMs: number;

  constructor(
    private readonly deposits: readonly Fated[],
    private readonly part: Part,
  ) {
    this.random = new Random(part.seed, part.dialect, 'movements', part.index);
    this.dealt = new Set(deposits.map(({ created }) => created.amount));
    const times = deposits.map(({ created }) => created.createdMs).toSorted((one, other) => one - other);
    [this.firstMs, this.lastMs] = [times[0] ?? 0, times.at(-1) ?? 0];
  }

  addPayments({ created, fate }: Fated): void {
    if (fate === 'unpaid') return;
    const { amount, createdMs, expiresMs } = created;
    const promptMs = createdMs + this.random.between(5, PAYING_SECONDS) * SECOND;
    const lateMs = Math.max(expiresMs + MINUTE, Math.min(created.heldUntilMs - APART, this.lastMs + AHEAD));
    const errorMs = this.random.pick([-CLOCK_ERROR, CLOCK_ERROR]);
    const times: Partial<Record<Fate, number>> = {
      late: this.random.between(expiresMs + MINUTE, lateMs),
      clock: promptMs + errorMs,
    };
    const paid = fate === 'wrong_amount' ? this.wrongAmount(created) : amount;
    const reference = this.referenceOf(created, fate);
    const atMs = times[fate] ?? promptMs;
    const first = this.add({ atMs, amount: paid, kind: fate, deposit: created, reference });
    if (fate !== 'twice') return;
    if (this.random.below(2) === 0) {
      // The same amount in, out and in again: the first and the last line are equal in all columns.
      this.add({ ...first, amount: -amount, text: OWN_TRANSFER, kind: 'out', deposit: null });
      this.all.push(first);
    } else this.all.push({ ...first, atMs: first.atMs + this.random.between(1, PAYING_SECONDS) * SECOND });
  }

  /** One in a hundred is a stranger's, one in a hundred goes out. */
  addOthers(): void {
    const { index, count, payments } = this.part;
    const part = (total: number): number => partOf(total, index, count);
    const hits = part(Math.max(Math.round(payments / 5_000), 1));
    for (let n = 0; n < hits; n++) this.addStrangerWithDealtAmount();
    for (let n = part(Math.round(payments / 100)) - hits; n > 0; n--) this.addStranger();
    for (let n = part(Math.round(payments / 100)); n > 0; n--) {
      this.add({ amount: -this.random.between(1, 500_000), text: PAYMENT_OUT, kind: 'out' });
    }
    this.add({ amount: this.random.between(1, 99_999), text: INTEREST, kind: 'interest' });
    this.add({ amount: this.random.between(1, 50) * 100_000, text: OWN_TRANSFER, kind: 'own_transfer' });
  }

  private add(movement: Partial<Movement> & Pick<Movement, 'amount' | 'kind'>): Movement {
    const added: Movement = {
      atMs: this.random.between(this.firstMs, this.lastMs + HOUR),
      text: TRANSFER_IN,
      details: `X${this.random.digits(4)} ${this.random.pick(NAMES)} ***`,
      reference: '',
      deposit: null,
      ...movement,
    };
    this.all.push(added);
    return added;
  }

  /** Nine of ten are in whole baht. */
  private addStranger(): void {
    const isWhole = this.random.below(10) < 9;
    const amount = this.undealt(() => (isWhole ? 100 * this.random.between(1, 20_000) : this.random.between(1, 2e6)));
    this.add({ amount, kind: 'stranger' });
  }

  /** A payment that must not be booked: the amount is that of a deposit, which was made later or is held no more. */
  private addStrangerWithDealtAmount(): void {
    const { created } = this.random.pick(this.deposits);
    const after = created.heldUntilMs + APART + this.random.between(0, HOUR);
    const before = created.createdMs - APART - this.random.between(0, HOUR / 2);
    const atMs = after <= this.lastMs + AHEAD && this.random.below(2) === 0 ? after : before;
    this.add({ atMs, amount: created.amount, kind: 'stranger' });
  }

  /** What people type wrongly: a digit, the order of two, 1.00 or 500.00 too much or too little, or the plain amount. */
  private wrongAmount({ requested, amount }: Created): number {
    const digits = [...String(amount)];
    const at = this.random.below(digits.length - 1);
    const swapped = digits.with(at, digits[at + 1] ?? '').with(at + 1, digits[at] ?? '');
    const mistakes = [
      () => amount + this.random.pick([-50_000, -100, 100, 50_000]),
      () => requested,
      () => Number(swapped.join('')),
      () => Number(digits.with(this.random.below(digits.length), String(this.random.between(1, 9))).join('')),
    ];
    return this.undealt(() => this.random.pick(mistakes)());
  }

  private undealt(draw: () => number): number {
    for (;;) {
      const amount = draw();
      if (amount > 0 && !this.dealt.has(amount)) return amount;
    }
  }

  private referenceOf({ reference }: Created, kind: Kind): string {
    if (reference === null) return '';
    if (kind === 'mangled') return this.random.pick(['', reference.slice(0, -1), `${reference}0`, `X${reference}`]);
    return this.random.below(20) === 0 ? reference.toLowerCase() : reference;
  }
}
