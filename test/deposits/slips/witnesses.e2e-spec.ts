import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openManagementPort, Scrape } from '../../ops/management.js';
import { eventually } from '../../support/eventually.js';
import { whileLocked } from '../../support/locks.js';
import type { TestMerchant } from '../../support/stack.js';
import {
  BankAccount,
  before,
  closeWithRightBooks,
  satang,
  type BankLine,
  type DepositView,
  type Imported,
  type PaymentView,
} from '../scene.js';
import { SlipsScene, type Transfer } from './slips-scene.js';

// `SLIP_ROUNDS=200 npm test -- test/deposits/slips/witnesses -t 'is booked once'` reports that many payments in each order.

const MINUTE_MS = 60_000;
const ROUNDS = Number(process.env.SLIP_ROUNDS ?? 3);

let scene: SlipsScene;

beforeAll(async () => {
  scene = await SlipsScene.start();
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

interface Paid {
  channel: string;
  shop: TestMerchant;
  deposit: DepositView;
  transfer: Transfer;
}

/** A deposit at a channel of its own, and the transfer that paid it some minutes ago. */
async function paid(minutesAgo = 0, ...options: string[]): Promise<Paid> {
  const { code, account } = await scene.channel(...options);
  const shop = await scene.deposits.stack.merchant('0.00');
  const deposit = await scene.deposits.deposit(code, shop);
  const older = `UPDATE deposits SET created_at = created_at - $2 * interval '1 minute' WHERE deposit_number = $1`;
  await scene.deposits.stack.sql(older, [deposit.deposit_number, minutesAgo]);
  const date = before(new Date(), minutesAgo * MINUTE_MS).toISOString();
  const transfer = scene.transfer(deposit, account, { date });
  await scene.pay(transfer);
  return { channel: code, shop, deposit, transfer };
}

/** The line of a transfer. Banks write minutes. */
const lineOf = ({ amount, date }: Transfer, changes: Partial<BankLine> = {}): BankLine => ({
  at: new Date(date),
  amount: satang(amount),
  ...changes,
});

const witnessesOf = async (channel: string): Promise<string[][]> => {
  const payments = await scene.deposits.payments(channel);
  return payments.map((payment) =>
    (payment as PaymentView & { witnesses: { kind: string }[] }).witnesses.map(({ kind }) => kind).sort(),
  );
};

const present = ({ shop, deposit, transfer }: Paid): Promise<unknown> => scene.decided(shop, deposit, transfer.payload);

const importLine = ({ channel, transfer }: Paid): Promise<Imported> =>
  scene.deposits.import(channel, new BankAccount().add(lineOf(transfer)).statement());

/** Reports a payment twice at once. Each report has read all that it reads before the channel's lock, and gets the lock in this order. */
async function atOnce(given: Paid, ...tell: ((given: Paid) => Promise<unknown>)[]): Promise<unknown> {
  const { stack } = scene.deposits;
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  const lock = `SELECT FROM deposit_channels WHERE code = '${given.channel}' FOR NO KEY UPDATE`;
  const telling: Promise<unknown>[] = [];
  await whileLocked(stack, lock, async () => {
    for (const each of tell) {
      telling.push(each(given));
      await eventually(
        () => stack.sql(waiting),
        ({ length }) => length >= telling.length,
      );
    }
  });
  return Promise.all(telling);
}

describe('a payment with a slip and a line', () => {
  it.each<[string, (given: Paid) => Promise<unknown>]>([
    [
      'the slip first',
      async (given) => {
        await present(given);
        expect(await importLine(given)).toMatchObject({ new: 1, linked: 1, booked: 0, waiting: 0 });
      },
    ],
    [
      'the line first',
      async (given) => {
        await importLine(given);
        await present(given);
      },
    ],
    ['both at once', (given) => Promise.all([importLine(given), present(given)])],
    ['both at once, and the slip is a moment earlier', (given) => atOnce(given, present, importLine)],
    ['both at once, and the line is a moment earlier', (given) => atOnce(given, importLine, present)],
  ])(
    'is booked once, %s',
    async (_, tell) => {
      for (let round = 0; round < ROUNDS; round++) {
        const given = await paid();
        await tell(given);
        expect(await scene.get(given.shop, given.deposit)).toMatchObject({
          status: 'paid',
          paid_amount: given.deposit.amount_to_pay,
          slip: { status: 'booked' },
          payments: [{}],
        });
        expect(await witnessesOf(given.channel)).toEqual([['line', 'slip']]);
        expect(await scene.deposits.credits(given.shop)).toHaveLength(1);
      }
      expect(await scene.deposits.wrong()).toEqual([]);
    },
    300_000 + ROUNDS * 10_000,
  );

  it('and a second line of the same minute are two payments', async () => {
    const given = await paid();
    await present(given);
    const account = new BankAccount().add(lineOf(given.transfer), lineOf(given.transfer));
    expect(await scene.deposits.import(given.channel, account.statement(), '--dry-run')).toMatchObject({
      linked: 1,
      waiting: 1,
    });
    expect(await scene.deposits.import(given.channel, account.statement())).toMatchObject({ linked: 1, waiting: 1 });
    expect(await scene.deposits.payments(given.channel, '--waiting')).toMatchObject([{ reason: 'DOUBLE' }]);
  });
});

describe('a slip that a person credited, whose line begins the second batch of a file', () => {
  it('keeps no payment of its amount in the first batch waiting, as the preview says', async () => {
    const given = await paid(90, 'unconfirmed_limit=1.00');
    const { channel, shop, deposit } = given;
    const at = new Date(given.transfer.date);
    const date = before(at, -60 * MINUTE_MS).toISOString();
    const transfer = scene.transfer(deposit, given.transfer.receiver_account as string, { date });
    await scene.pay(transfer);
    await present({ ...given, transfer });
    const [slip] = await scene.deposits.payments(channel, '--waiting');
    const to = ['--merchant', String(shop.id), '--reason', 'asked by phone'];
    await scene.deposits.operator.json('payment', 'credit', slip?.id ?? '', ...to);
    const account = new BankAccount();
    for (let n = 1; n < 500; n++) account.add({ at, amount: BigInt(n) });
    account.add(lineOf(transfer, { at }), lineOf(transfer));
    const booked = { new: 501, booked: 1, linked: 1, waiting: 499 };
    expect(await scene.deposits.import(channel, account.statement(), '--dry-run')).toMatchObject(booked);
    expect(await scene.deposits.import(channel, account.statement())).toMatchObject(booked);
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', paid_amount: deposit.amount_to_pay });
  });
});

describe('a payment at a biller that a person credited', () => {
  it.each<[string, 'slip' | 'line', string]>([
    ['its line', 'slip', '0987654322'],
    ['its slip', 'line', '0987654323'],
  ])('is not credited again when %s names the deposit', async (_, first, account) => {
    const biller = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(biller);
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(biller, shop);
    const { amount_to_pay: amount, reference } = deposit;
    const transfer = scene.transfer(deposit, account, { ref1: first === 'line' ? reference : '' });
    await scene.pay(transfer);
    const line = lineOf(transfer, { reference: first === 'slip' ? reference : reference.slice(0, -1) });
    const tell = {
      slip: (): Promise<unknown> => scene.present(shop, deposit, transfer.payload),
      line: (): Promise<unknown> => scene.deposits.import(biller, new BankAccount().add(line).statement()),
    };
    await tell[first]();
    const [waiting] = await scene.deposits.payments(biller, '--waiting');
    expect(waiting).toMatchObject({ reason: 'UNMATCHED', amount });
    const to = ['--merchant', String(shop.id), '--reason', 'asked by phone'];
    await scene.deposits.operator.json('payment', 'credit', waiting?.id ?? '', ...to);
    await tell[first === 'slip' ? 'line' : 'slip']();
    expect(await witnessesOf(biller)).toEqual([['line', 'slip']]);
    expect(await scene.deposits.credits(shop)).toHaveLength(1);
    expect(await scene.deposits.wrong()).toEqual([]);
  });
});

describe('at a biller, a line that may be the payment of a slip that named no deposit', () => {
  let accounts = 0;

  it.each([
    ['a person credited the slip to another merchant than the one whose deposit the line names', 'credit', true],
    ['a person returned the slip’s payment, and the line names a deposit', 'return', true],
    ['a person credited the slip, and the line names no deposit', 'credit', false],
  ] as const)('waits as a double one if %s', async (_, decision, isNamed) => {
    const account = `58${String(++accounts).padStart(8, '0')}`;
    const biller = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(biller);
    const [shop, other] = [await scene.deposits.stack.merchant('0.00'), await scene.deposits.stack.merchant('0.00')];
    const deposit = await scene.deposits.deposit(biller, shop);
    const { reference, deposit_number } = await scene.deposits.deposit(biller, other);
    const transfer = scene.transfer(deposit, account, { ref1: '' });
    await scene.pay(transfer);
    await scene.present(shop, deposit, transfer.payload);
    const [{ id } = { id: '' }] = await scene.deposits.payments(biller, '--waiting');
    const how = decision === 'credit' ? ['--merchant', String(shop.id)] : ['--reference', 'FT20261128'];
    await scene.deposits.operator.json('payment', decision, id, ...how, '--reason', 'asked by phone');
    const line = lineOf(transfer, { reference: isNamed ? reference : reference.slice(0, -1) });
    const statement = new BankAccount().add(line).statement();
    const waits = { linked: 0, booked: 0, waiting: 1 };
    expect(await scene.deposits.import(biller, statement, '--dry-run')).toMatchObject(waits);
    expect(await scene.deposits.import(biller, statement)).toMatchObject(waits);
    const [found] = await scene.deposits.payments(biller, '--waiting');
    expect(found).toMatchObject({ reason: 'DOUBLE', amount: transfer.amount });
    if (isNamed) expect(found?.suggestions[0]).toMatchObject({ deposit_number });
    expect(await scene.deposits.credits(other)).toEqual([]);
  });
});

describe('at a biller, a slip and a line that name one deposit, with times far apart', () => {
  it.each<[string, number, boolean]>([
    ['the slip first', -12, true],
    ['the line first', 12, false],
  ])('may be one payment, so that the second waits, %s', async (_, minutesBefore, isSlipFirst) => {
    const account = `55${String(isSlipFirst ? 1 : 2).padStart(8, '0')}`;
    const channel = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(channel);
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(channel, shop);
    const { reference } = deposit;
    const date = before(new Date(), 13 * MINUTE_MS).toISOString();
    const transfer = scene.transfer(deposit, account, { ref1: reference, date });
    await scene.pay(transfer);
    const line = lineOf(transfer, { at: before(transfer.date, minutesBefore * MINUTE_MS), reference });
    const tell = [
      () => scene.present(shop, deposit, transfer.payload),
      () => scene.deposits.import(channel, new BankAccount().add(line).statement()),
    ];
    for (const each of isSlipFirst ? tell : tell.toReversed()) await each();
    expect(await scene.deposits.payments(channel, '--waiting')).toMatchObject([{ reason: 'DOUBLE' }]);
    expect(await scene.deposits.credits(shop)).toHaveLength(1);
    // Where the slip came first, the statement does not show it in time.
    for (const { id } of await scene.deposits.payments(channel, '--cases'))
      await scene.deposits.operator.json('payment', 'keep', id, '--reason', 'the line is this payment');
  });
});

describe('at a biller, equal payments to two deposits within minutes', () => {
  let accounts = 0;

  /** A deposit of A at a biller, the transfer that paid it, its line, and the line of another payer, which names no deposit. */
  async function toBiller(minutesAgo = 1) {
    const account = `56${String(++accounts).padStart(8, '0')}`;
    const channel = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(channel);
    const shop = await scene.deposits.stack.merchant('0.00');
    const deposit = await scene.deposits.deposit(channel, shop);
    const at = before(new Date(), minutesAgo * MINUTE_MS);
    const transferOf = async (ref1: string): Promise<Transfer> => {
      const transfer = scene.transfer(deposit, account, { ref1, date: at.toISOString() });
      await scene.pay(transfer);
      return transfer;
    };
    const { reference } = deposit;
    const transfer = await transferOf(reference);
    const unnamed = lineOf(transfer, { at: before(at, MINUTE_MS), reference: reference.slice(0, -1) });
    const named = lineOf(transfer, { reference });
    return { channel, shop, deposit, transfer, transferOf, unnamed, named };
  }

  const importLines = (channel: string, ...lines: BankLine[]): Promise<Imported> =>
    scene.deposits.import(channel, new BankAccount().add(...lines).statement());

  it.each([
    ['before', true],
    ['between', false],
  ])('are booked once each, if the slip of one comes %s the line of the other and its own', async (_, isSlipFirst) => {
    const given = await toBiller();
    const { channel, shop, deposit, unnamed, named } = given;
    if (isSlipFirst) await present(given);
    expect(await importLines(channel, unnamed)).toMatchObject({ linked: 0, booked: 0, waiting: 1 });
    if (!isSlipFirst) {
      await present(given);
      expect(await scene.get(shop, deposit)).toMatchObject({ status: 'pending' });
      const [, slip] = await scene.deposits.payments(channel, '--waiting');
      expect(slip).toMatchObject({ reason: 'DOUBLE', suggestions: [{ deposit_number: deposit.deposit_number }] });
    }
    const isItsOwn = isSlipFirst ? { linked: 1, booked: 0 } : { linked: 0, booked: 1 };
    expect(await importLines(channel, unnamed, named)).toMatchObject({ new: 1, waiting: 0, ...isItsOwn });
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
    expect(await scene.deposits.payments(channel, '--waiting')).toMatchObject([{ reason: 'UNMATCHED' }]);
    expect(await witnessesOf(channel)).toEqual(expect.arrayContaining([['line'], ['line', 'slip']]));
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('are one, if the slip comes %s a file that goes on for ten minutes without its name', async (_, isSlipFirst) => {
    const given = await toBiller(12);
    const { channel, shop, deposit, unnamed } = given;
    const later = { at: before(given.transfer.date, -11 * MINUTE_MS), amount: -100n };
    if (isSlipFirst) await present(given);
    expect(await importLines(channel, unnamed, later)).toMatchObject({ linked: Number(isSlipFirst), booked: 0 });
    if (!isSlipFirst) await present(given);
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
    expect(await witnessesOf(channel)).toEqual([['line', 'slip']]);
    expect(await scene.deposits.payments(channel, '--cases')).toEqual([]);
  });

  it('are booked once each, if a slip that names none confirms the line of the other', async () => {
    const given = await toBiller();
    const { channel, shop, deposit, transferOf, unnamed, named } = given;
    await importLines(channel, named);
    await present({ ...given, transfer: await transferOf('') });
    await present(given);
    expect(await scene.deposits.payments(channel, '--waiting')).toMatchObject([{ reason: 'DOUBLE' }]);
    expect(await importLines(channel, named, { ...unnamed, at: named.at })).toMatchObject({ linked: 0, waiting: 1 });
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
  });
});

describe('a slip that the statement does not show', () => {
  /** A later line of the account, so that the statement covers the transfer. */
  const later = ({ date }: Transfer): BankLine => ({ at: before(date, -11 * MINUTE_MS), amount: 12_300n });

  it('makes no payment if the statement was imported before', async () => {
    const given = await paid(12);
    await scene.deposits.import(given.channel, new BankAccount().add(later(given.transfer)).statement());
    await present(given);
    expect(await scene.get(given.shop, given.deposit)).toMatchObject({
      status: 'pending',
      slip: { status: 'refused', code: 'NOT_IN_STATEMENT' },
    });
    expect(await scene.deposits.show(given.deposit.deposit_number)).toMatchObject({
      timeline: [{ event: 'created' }, { event: 'slip', detail: expect.stringMatching(/refused, NOT_IN_STATEMENT$/) }],
    });
    expect(await witnessesOf(given.channel)).toEqual([['line']]);
  });

  it.each([
    ['the only line', []],
    ['a line after one of the same time', [0]],
  ])('is booked if the statement ends with %s, dated ahead', async (_, minutes) => {
    const given = await paid(12);
    const { channel, shop, deposit, transfer } = given;
    const account = new BankAccount();
    for (const minute of [...minutes, -23 * 60])
      account.add({ at: before(transfer.date, minute * MINUTE_MS), amount: 12_300n });
    const { covered_until: covered } = await scene.deposits.import(channel, account.statement(), '--dry-run');
    expect(await scene.deposits.import(channel, account.statement())).toMatchObject({ covered_until: covered });
    expect(Date.parse(covered ?? transfer.date)).toBeLessThanOrEqual(Date.parse(transfer.date));
    await present(given);
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
    expect(await scene.deposits.payments(channel, '--cases')).toEqual([]);
  });

  it('is a case if the statement comes later, until a person keeps it', async () => {
    const given = await paid(12);
    await present(given);
    const account = new BankAccount().add(later(given.transfer));
    await scene.deposits.import(given.channel, account.statement());
    const [payment] = await scene.deposits.payments(given.channel, '--cases');
    expect(payment).toMatchObject({ state: 'booked', reason: 'NOT_IN_STATEMENT' });
    const wrong = [expect.stringMatching(/^deposit_witnesses: .+NOT_IN_STATEMENT/)];
    expect(await scene.deposits.wrong()).toEqual(wrong);
    const port = await openManagementPort(scene.deposits.stack.api, 0);
    const cases = async (): Promise<number | undefined> =>
      (await Scrape.of(port)).value('topup_incoming_cases', { channel: given.channel });
    await eventually(cases, (count) => count === 1);
    // The audit sees it by itself, too.
    await scene.deposits.stack.sql(`UPDATE incoming_payments SET reason = NULL WHERE public_id = $1`, [payment?.id]);
    expect(await scene.deposits.wrong()).toEqual([
      expect.stringMatching(/^deposit_witnesses: .+ is not in the statement that covers it, and the next import/),
    ]);
    await scene.deposits.import(given.channel, account.add(later(given.transfer)).statement());
    await scene.deposits.operator.json('payment', 'keep', payment?.id ?? '', '--reason', 'the bank shows it elsewhere');
    expect(await scene.deposits.wrong()).toEqual([]);
    await eventually(cases, (count) => count === 0);
  });
});

describe('a slip that waits, and that the statement does not show', () => {
  it('is a case once a person credits it, until a person keeps it', async () => {
    const given = await paid(12, 'unconfirmed_limit=1.00');
    await present(given);
    const account = new BankAccount().add({ at: before(given.transfer.date, -11 * MINUTE_MS), amount: 12_300n });
    await scene.deposits.import(given.channel, account.statement());
    const decide = (id: string, ...decision: string[]): Promise<unknown> =>
      scene.deposits.operator.json('payment', ...decision.toSpliced(1, 0, id), '--reason', 'the bank confirms it');
    const waiting = await scene.deposits.payments(given.channel, '--waiting');
    const [{ id } = { id: '' }] = waiting.filter(({ reason }) => reason === 'NOT_IN_STATEMENT');
    await decide(id, 'credit', '--deposit', given.deposit.deposit_number);
    expect(await scene.deposits.payments(given.channel, '--cases')).toMatchObject([{ id, reason: 'NOT_IN_STATEMENT' }]);
    expect(await scene.deposits.wrong()).toEqual([
      expect.stringMatching(/^deposit_witnesses: .+ is an open case: NOT_IN_STATEMENT/),
    ]);
    await decide(id, 'keep');
    expect(await scene.deposits.payments(given.channel, '--cases')).toEqual([]);
    expect(await scene.deposits.wrong()).toEqual([]);
  });
});

describe('a slip that was debited because the statement did not show it', () => {
  it('is a case again when its line comes, of which nothing more is taken', async () => {
    const given = await paid();
    await present(given);
    // As an import does whose lines go on after the slip.
    const missing = `UPDATE incoming_payments SET reason = 'NOT_IN_STATEMENT' WHERE merchant_id = $1`;
    await scene.deposits.stack.sql(missing, [given.shop.id]);
    const [{ id } = { id: '' }] = await scene.deposits.payments(given.channel, '--cases');
    const decide = (what: string): Promise<unknown> =>
      scene.deposits.operator.json('payment', what, id, '--reason', 'the bank does not know it', '--yes');
    await decide('debit');
    expect(await scene.deposits.wrong()).toEqual([]);
    const account = new BankAccount().add(lineOf(given.transfer));
    expect(await scene.deposits.import(given.channel, account.statement())).toMatchObject({ linked: 1 });
    expect(await scene.deposits.payments(given.channel, '--cases')).toMatchObject([{ id, reason: 'NOT_IN_STATEMENT' }]);
    expect(await scene.deposits.wrong()).toEqual([expect.stringMatching(/^deposit_witnesses: .+NOT_IN_STATEMENT/)]);
    // There is nothing left to take.
    await decide('debit');
    expect(await scene.deposits.credits(given.shop)).toHaveLength(2);
    expect(await scene.deposits.wrong()).toEqual([]);
  });
});

describe('a slip whose payment a person ignored', () => {
  it('does not hide its line, which waits', async () => {
    const given = await paid(0, 'unconfirmed_limit=1.00');
    await present(given);
    const [{ id } = { id: '' }] = await scene.deposits.payments(given.channel, '--waiting');
    await scene.deposits.operator.json('payment', 'ignore', id, '--reason', 'the bank does not know it');
    expect(await importLine(given)).toMatchObject({ linked: 0, booked: 0, waiting: 1 });
    expect(await scene.deposits.payments(given.channel, '--waiting')).toMatchObject([{ reason: 'DOUBLE' }]);
  });
});

describe('what slips alone credit', () => {
  it('is limited, and what is above the limit is booked by its line', async () => {
    const first = await paid(0, 'unconfirmed_limit=1500.00');
    await present(first);
    expect(await scene.get(first.shop, first.deposit)).toMatchObject({ status: 'paid' });
    const deposit = await scene.deposits.deposit(first.channel, first.shop);
    const transfer = scene.transfer(deposit, first.transfer.receiver_account as string);
    await scene.pay(transfer);
    const { body } = await scene.present(first.shop, deposit, transfer.payload);
    expect(body).toMatchObject({ status: 'pending', slip: { status: 'refused', code: 'SLIP_NOT_FOR_THIS_DEPOSIT' } });
    const [waiting] = await scene.deposits.payments(first.channel, '--waiting');
    expect(waiting).toMatchObject({ reason: 'UNCONFIRMED' });
    expect(waiting?.suggestions[0]?.deposit_number).toBe(deposit.deposit_number);
    const account = new BankAccount().add(lineOf(first.transfer), lineOf(transfer));
    expect(await scene.deposits.import(first.channel, account.statement())).toMatchObject({ linked: 1, booked: 1 });
    expect(await scene.get(first.shop, deposit)).toMatchObject({ status: 'paid', slip: { status: 'booked' } });
    expect(await witnessesOf(first.channel)).toEqual([
      ['line', 'slip'],
      ['line', 'slip'],
    ]);
    expect(await scene.deposits.wrong()).toEqual([]);
  });
});
