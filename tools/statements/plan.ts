import { channelOptions } from './dialects.js';
import type { Fate, Order } from './model.js';
import { Random } from './random.js';

/** A deposit to make, as the body of `POST /v1/deposits` with the number of its merchant. */
export interface PlannedDeposit {
  readonly channel: string;
  readonly merchant: number;
  readonly reference_id: string;
  readonly amount: string;
  readonly expires_in: number;
  /** Whether to cancel it once it is made. */
  readonly cancel: boolean;
}

export interface PlannedChannel {
  readonly code: string;
  readonly adapter: 'promptpay';
  readonly options: Readonly<Record<string, string>>;
}

export interface Plan {
  readonly channels: readonly PlannedChannel[];
  readonly deposits: readonly PlannedDeposit[];
  /** One for each deposit. The deposits can be made without knowing them. */
  readonly fates: readonly Fate[];
}

export const MERCHANTS = 20;
const DEPOSITS_OF_CHANNEL = 1_000;
const PAID = 0.7;
/** The shares of payments that are not exact, in thousandths. */
const SHARES = { late: 25, cancelled: 5, wrong_amount: 7, twice: 5 } as const;
const BANK_ERRORS = 8;
const ROUND_BAHT = [1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000, 50_000];
const ROUND_OF_TEN = 6;
const [MIN_BAHT, MAX_BAHT] = [100, 30_000];
const EXPIRES_IN = 900;

/** The deposits to make, the same for the same order. */
export function planOf(order: Order): Plan {
  const { seed, dialect } = order;
  const fates = fatesOf(order);
  const count = Math.ceil(fates.length / DEPOSITS_OF_CHANNEL);
  const codes = Array.from({ length: count }, (_, index) => `${dialect}-${seed}-${index + 1}`);
  const deposits = fates.map((fate, index): PlannedDeposit => {
    const random = new Random(seed, dialect, 'deposit', index);
    return {
      channel: codes[Math.floor(index / DEPOSITS_OF_CHANNEL)] ?? '',
      merchant: random.between(1, MERCHANTS),
      reference_id: `${dialect}-${seed}-${String(index + 1).padStart(6, '0')}`,
      amount: someAmount(random),
      expires_in: EXPIRES_IN,
      cancel: fate === 'cancelled',
    };
  });
  const channels = codes.map((code, index) => {
    const options = channelOptions(dialect, index, new Random(seed, dialect, 'channel', index));
    return { code, adapter: 'promptpay', options } as const;
  });
  return { channels, deposits, fates };
}

function fatesOf({ seed, payments, dialect }: Order): Fate[] {
  const share = (thousandths: number): number => Math.round((payments * thousandths) / 1_000);
  const numbers = { ...SHARES, [dialect === 'bill' ? 'mangled' : 'clock']: BANK_ERRORS };
  const special = Object.entries(numbers).flatMap(([fate, each]) => Array<Fate>(share(each)).fill(fate as Fate));
  const paid = payments - share(SHARES.twice);
  const exact = Array<Fate>(Math.max(paid - special.length, 0)).fill('exact');
  const unpaid = Array<Fate>(Math.round(paid / PAID) - paid).fill('unpaid');
  return new Random(seed, dialect, 'fates').shuffle([...special, ...exact, ...unpaid]);
}

function someAmount(random: Random): string {
  if (random.below(10) < ROUND_OF_TEN) return `${random.pick(ROUND_BAHT)}.00`;
  // Small amounts are as frequent as large ones.
  const baht = Math.round(MIN_BAHT * (MAX_BAHT / MIN_BAHT) ** (random.below(10_000) / 10_000));
  return `${baht}.${random.below(4) === 0 ? String(random.below(100)).padStart(2, '0') : '00'}`;
}
