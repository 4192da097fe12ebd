import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openManagementPort, Scrape } from '../../ops/management.js';
import { eventually } from '../../support/eventually.js';
import { BankAccount, before, closeWithRightBooks, type BankLine } from '../scene.js';
import { Reports, type Paid } from './reports.js';
import { SlipsScene, type Transfer } from './slips-scene.js';

// `SLIP_ROUNDS=200 npm test -- test/deposits/slips/witnesses -t 'is booked once'` reports that many payments in each order.

const MINUTE_MS = 60_000;
const ROUNDS = Number(process.env.SLIP_ROUNDS ?? 3);

let scene: SlipsScene;

beforeAll(async () => {
  scene = await SlipsScene.start();
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

const { paid, lineOf, witnessesOf, present, importLine, atOnce } = new Reports(() => scene);

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

describe('a line that the channel ignores', () => {
  it.each([
    ['before', true],
    ['after', false],
  ])('is not the line of a slip of its amount that comes %s it', async (_, isSlipFirst) => {
    const given = await paid(0, 'ignore=Own transfer');
    const { channel, shop, deposit, transfer } = given;
    const account = new BankAccount().add(lineOf(transfer, { text: 'Own transfer' }));
    if (isSlipFirst) await present(given);
    expect(await scene.deposits.import(channel, account.statement())).toMatchObject({ ignored: 1, linked: 0 });
    if (!isSlipFirst) await present(given);
    account.add(lineOf(transfer));
    expect(await scene.deposits.import(channel, account.statement())).toMatchObject({ new: 1, linked: 1, waiting: 0 });
    expect(await scene.get(shop, deposit)).toMatchObject({ status: 'paid', paid_amount: deposit.amount_to_pay });
    expect(await scene.deposits.credits(shop)).toHaveLength(1);
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
