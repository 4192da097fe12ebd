import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BankAccount, before, closeWithRightBooks, type BankLine, type Imported } from '../scene.js';
import { SlipsScene, type Transfer } from './slips-scene.js';
import { Reports } from './reports.js';

const MINUTE_MS = 60_000;

let scene: SlipsScene;

beforeAll(async () => {
  scene = await SlipsScene.start();
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

const { lineOf, present, witnessesOf } = new Reports(() => scene);

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

describe('at a biller, a slip that a person credited before its line came', () => {
  it('keeps no line of its amount waiting that has a slip of its own', async () => {
    const account = '5900000001';
    const biller = await scene.deposits.billerChannel(`account=004:${account}`);
    await scene.takeSlips(biller, 'unconfirmed_limit=1.00');
    const [shop, other] = [await scene.deposits.stack.merchant('0.00'), await scene.deposits.stack.merchant('0.00')];
    const deposit = await scene.deposits.deposit(biller, shop);
    const { reference, deposit_number } = deposit;
    const presented = async (ref1: string, date: Date): Promise<Transfer> => {
      const transfer = scene.transfer(deposit, account, { ref1, date: date.toISOString() });
      await scene.pay(transfer);
      await scene.decided(shop, deposit, transfer.payload);
      return transfer;
    };
    await presented('', new Date());
    const [{ id } = { id: '' }] = await scene.deposits.payments(biller, '--waiting');
    const to = ['--merchant', String(other.id), '--reason', 'asked by phone'];
    await scene.deposits.operator.json('payment', 'credit', id, ...to);
    const transfer = await presented(reference, before(new Date(), 60 * MINUTE_MS));
    expect(await scene.deposits.payments(biller, '--waiting')).toMatchObject([{ reason: 'UNCONFIRMED' }]);
    const statement = new BankAccount().add(lineOf(transfer, { reference })).statement();
    const booked = { new: 1, linked: 0, booked: 1, waiting: 0 };
    expect(await scene.deposits.import(biller, statement, '--dry-run')).toMatchObject(booked);
    expect(await scene.deposits.import(biller, statement)).toMatchObject(booked);
    expect(await scene.deposits.show(deposit_number)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
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
