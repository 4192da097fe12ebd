import { formatBaht, type Satang } from '../../core/money.js';
import type { ClosedWallet } from './closed-wallet.entity.js';
import { LEDGER_CHECKS } from './ledger-checks.js';
import { unequal, type Tallies } from './tally.js';

/** Sums of a wallet's movements, by kind. */
export type Sums = Pick<ClosedWallet, 'credits' | 'debits' | 'holds' | 'spends' | 'refunds'>;
const KINDS = ['credits', 'debits', 'holds', 'spends', 'refunds'] as const satisfies (keyof Sums)[];

/** The effect of a range of movements on one wallet, and how many of them break a rule. */
export interface Movements extends Sums {
  merchant_id: number;
  transfers: bigint;
  moved: Satang;
  first_id: bigint;
  last_id: bigint;
  /** The available balance before the first movement, after the first, and after the last. */
  before: Satang;
  first_after: Satang;
  available: Satang;
  wrong_entries: bigint;
  wrong_entry: string | null;
  wrong_links: bigint;
  wrong_link: string | null;
}

/** The balances in a wallet's row. */
export interface Balances {
  merchant_id: number;
  available: Satang;
  held: Satang;
}

/** A wallet after the movements read so far. */
export interface Standing extends Sums {
  merchant_id: number;
  last_transfer_id: bigint;
  /** The balance that the last movement states. */
  available: Satang;
}

const availableOf = ({ credits, debits, holds, refunds }: Sums): Satang => credits - debits - holds + refunds;
const heldOf = ({ holds, spends, refunds }: Sums): Satang => holds - spends - refunds;

const NOTHING = { credits: 0n, debits: 0n, holds: 0n, spends: 0n, refunds: 0n };

/** Adds up movements in the order of their ids, and checks that each movement continues the balance of the movement before it. */
export class Ledger {
  private readonly wallets: Map<number, Standing>;
  private readonly moved = new Set<number>();

  /** @param closed the wallets of the closing after which the movements begin; empty if the audit reads all movements. */
  constructor(
    private readonly tallies: Tallies,
    closed: readonly ClosedWallet[],
  ) {
    this.wallets = new Map(closed.map(({ month: _month, held: _held, ...wallet }) => [wallet.merchant_id, wallet]));
  }

  add(movements: readonly Movements[]): void {
    for (const each of movements) {
      const { merchant_id, last_id: last_transfer_id, available } = each;
      const earlier = this.wallets.get(merchant_id);
      this.checkLink(each, earlier?.available ?? 0n);
      const sums = Object.fromEntries(KINDS.map((kind) => [kind, (earlier?.[kind] ?? 0n) + each[kind]]));
      this.wallets.set(merchant_id, {
        merchant_id,
        last_transfer_id,
        available,
        ...(sums as unknown as Sums),
      });
      this.count(each);
    }
  }

  /** The wallets after the movements that were added so far, sorted by merchant. */
  get closing(): Omit<ClosedWallet, 'month'>[] {
    return [...this.wallets.values()]
      .map((wallet) => ({ ...wallet, available: availableOf(wallet), held: heldOf(wallet) }))
      .sort((one, other) => one.merchant_id - other.merchant_id);
  }

  /** Checks that no balance is below zero. */
  checkNotNegative(): void {
    for (const { merchant_id: id, available, held, ...sums } of this.closing) {
      this.countBalance({ available, held }, sums);
      if (available < 0n) this.tallies.of(LEDGER_CHECKS.available).find(unequal(id, available, 0n));
      if (held < 0n) this.tallies.of(LEDGER_CHECKS.held).find(unequal(id, held, 0n));
    }
  }

  /** Checks that the wallets' rows equal the sums of all movements, and the balance that the last movement states. */
  checkBalances(balances: readonly Balances[]): void {
    const known = new Map(balances.map((each) => [each.merchant_id, each]));
    for (const id of new Set([...known.keys(), ...this.wallets.keys()])) {
      this.checkBalance(id, known.get(id), this.wallets.get(id));
    }
  }

  private checkBalance(id: number, wallet: Balances | undefined, standing: Standing | undefined): void {
    const sums = standing ?? NOTHING;
    const { available = null, held = null } = wallet ?? {};
    const byAvailable = this.tallies.of(LEDGER_CHECKS.available);
    const byHeld = this.tallies.of(LEDGER_CHECKS.held);
    this.countBalance({ available: available ?? 0n, held: held ?? 0n }, sums);
    if (available !== availableOf(sums)) byAvailable.find(unequal(id, available, availableOf(sums)));
    if (held !== heldOf(sums)) byHeld.find(unequal(id, held, heldOf(sums)));
    if (standing && available !== standing.available) {
      const has = available === null ? 'none' : formatBaht(available);
      const left = formatBaht(standing.available);
      this.tallies
        .of(LEDGER_CHECKS.statements)
        .find(
          `transfer ${standing.last_transfer_id} of merchant ${id} states the balance ${left}, but the wallet has ${has}`,
        );
    }
  }

  private countBalance(
    { available, held }: Omit<Balances, 'merchant_id'>,
    { credits, debits, holds, spends, refunds }: Sums,
  ): void {
    const { tallies } = this;
    tallies.of(LEDGER_CHECKS.available).count({ checked: 1n, available, credits, debits, holds, refunds });
    tallies.of(LEDGER_CHECKS.held).count({ checked: 1n, held, holds, spends, refunds });
  }

  private checkLink({ merchant_id, first_id, before, first_after }: Movements, stands: Satang): void {
    if (before === stands) return;
    const follows = formatBaht(stands + first_after - before);
    this.tallies
      .of(LEDGER_CHECKS.statements)
      .find(
        `transfer ${first_id} of merchant ${merchant_id} states the balance ${formatBaht(first_after)}, but the transfer before it ` +
          `leads to ${follows}`,
      );
  }

  private count({ merchant_id, transfers: checked, moved, ...found }: Movements): void {
    const merchants = this.moved.has(merchant_id) ? 0n : 1n;
    this.moved.add(merchant_id);
    this.tallies
      .of(LEDGER_CHECKS.entries)
      .add({ wrong: found.wrong_entries, example: found.wrong_entry, figures: { checked, moved } });
    this.tallies
      .of(LEDGER_CHECKS.statements)
      .add({ wrong: found.wrong_links, example: found.wrong_link, figures: { checked, merchants } });
  }
}
