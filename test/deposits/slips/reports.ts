import { untilWaiting, whileLocked } from '../../support/locks.js';
import type { TestMerchant } from '../../support/stack.js';
import {
  BankAccount,
  before,
  satang,
  type BankLine,
  type DepositView,
  type Imported,
  type PaymentView,
} from '../scene.js';
import type { SlipsScene, Transfer } from './slips-scene.js';

const MINUTE_MS = 60_000;

export interface Paid {
  channel: string;
  shop: TestMerchant;
  deposit: DepositView;
  transfer: Transfer;
}

/** How suites report payments by slips and by lines. */
export class Reports {
  /** @param scene the scene of the suite, once it has begun. */
  constructor(private readonly scene: () => SlipsScene) {}

  /** A deposit at a channel of its own, and the transfer that paid it some minutes ago. */
  readonly paid = async (minutesAgo = 0, ...options: string[]): Promise<Paid> => {
    const { code, account } = await this.scene().channel(...options);
    const shop = await this.scene().deposits.stack.merchant('0.00');
    const deposit = await this.scene().deposits.deposit(code, shop);
    const older = `UPDATE deposits SET created_at = created_at - $2 * interval '1 minute' WHERE deposit_number = $1`;
    await this.scene().deposits.stack.sql(older, [deposit.deposit_number, minutesAgo]);
    const date = before(new Date(), minutesAgo * MINUTE_MS).toISOString();
    const transfer = this.scene().transfer(deposit, account, { date });
    await this.scene().pay(transfer);
    return { channel: code, shop, deposit, transfer };
  };

  /** The line of a transfer. Banks write minutes. */
  readonly lineOf = ({ amount, date }: Transfer, changes: Partial<BankLine> = {}): BankLine => ({
    at: new Date(date),
    amount: satang(amount),
    ...changes,
  });

  readonly witnessesOf = async (channel: string): Promise<string[][]> => {
    const payments = await this.scene().deposits.payments(channel);
    return payments.map((payment) =>
      (payment as PaymentView & { witnesses: { kind: string }[] }).witnesses.map(({ kind }) => kind).sort(),
    );
  };

  readonly present = ({ shop, deposit, transfer }: Paid): Promise<unknown> =>
    this.scene().decided(shop, deposit, transfer.payload);

  readonly importLine = ({ channel, transfer }: Paid): Promise<Imported> =>
    this.scene().deposits.import(channel, new BankAccount().add(this.lineOf(transfer)).statement());

  /** Reports a payment twice at once. Each report has read all that it reads before the channel's lock, and gets the lock in this order. */
  readonly atOnce = async (given: Paid, ...tell: ((given: Paid) => Promise<unknown>)[]): Promise<unknown> => {
    const { stack } = this.scene().deposits;
    const lock = `SELECT FROM deposit_channels WHERE code = '${given.channel}' FOR NO KEY UPDATE`;
    const telling: Promise<unknown>[] = [];
    await whileLocked(stack, lock, async () => {
      for (const each of tell) {
        telling.push(each(given));
        await untilWaiting(stack, telling.length);
      }
    });
    return Promise.all(telling);
  };
}
