import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/core/durations.js';
import { dayIn } from '../support/days.js';
import { whileLocked } from '../support/locks.js';
import type { TestMerchant } from '../support/stack.js';
import { BankAccount, before, DepositsScene, paying, satang } from './scene.js';

let scene: DepositsScene;
let merchant: TestMerchant;

beforeAll(async () => {
  scene = await DepositsScene.start();
  merchant = await scene.stack.merchant('0.00');
});

afterAll(() => scene.close());

describe('the import of a statement', () => {
  it('credits a payment of the exact amount once: again, longer, overlapping, and in two processes', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    const account = new BankAccount().add(paying(deposit));

    const dry = await scene.import(channel, account.statement(), '--dry-run');
    expect(dry).toMatchObject({ lines: 1, new: 1, in: 1, booked: 1, waiting: 0, refused: null });
    expect(await scene.available(shop)).toBe('0.00');

    const done = await scene.import(channel, account.statement());
    expect(done).toMatchObject({ lines: 1, new: 1, repeated: 0, in: 1, in_amount: deposit.amount_to_pay, booked: 1 });
    expect(await scene.available(shop)).toBe(deposit.amount_to_pay);
    const paid = await scene.show(deposit.deposit_number);
    expect(paid).toMatchObject({ status: 'paid', paid_amount: deposit.amount_to_pay, payments: [{ late: false }] });
    const [payment] = await scene.payments(channel);
    expect(payment).toMatchObject({
      state: 'booked',
      booked_by: 'amount',
      reason: null,
      deposit_number: deposit.deposit_number,
    });
    expect(payment?.id).toMatch(/^pay_[0-9A-Za-z]{22}$/);
    expect(await scene.credits(shop)).toEqual([
      { amount: deposit.amount_to_pay, reference_id: `deposit:${payment?.id}` },
    ]);

    expect(await scene.import(channel, account.statement())).toMatchObject({ new: 0, repeated: 1, booked: 0 });
    const other = await scene.deposit(channel, shop);
    account.add({ at: new Date(), amount: -5_000n }, paying(other));
    const both = await Promise.all([
      scene.import(channel, account.statement()),
      scene.import(channel, account.statement()),
    ]);
    expect(both.map((each) => each.new).sort((a, b) => a - b)).toEqual([0, 2]);
    expect(both.map((each) => each.booked).sort((a, b) => a - b)).toEqual([0, 1]);
    expect(await scene.available(shop)).toBe(sum(deposit.amount_to_pay, other.amount_to_pay));
    expect(await scene.credits(shop)).toHaveLength(2);
    expect(await scene.wrong()).toEqual([]);
  });

  it('of many lines by several processes at once books each payment once', async () => {
    const channel = await scene.channel('spread=5');
    const shops = await Promise.all(Array.from({ length: 5 }, () => scene.stack.merchant('0.00')));
    const deposits = [];
    for (const shop of shops) for (let n = 0; n < 4; n++) deposits.push(await scene.deposit(channel, shop, '2000.00'));
    const account = new BankAccount();
    // Strangers' payments make several batches.
    for (let n = 0; n < 1_100; n++) {
      const deposit = n % 60 === 0 ? deposits[n / 60] : undefined;
      account.add(deposit ? paying(deposit) : { at: new Date(), amount: BigInt(200 + n) });
    }
    for (const deposit of deposits.slice(19)) account.add(paying(deposit));
    // A shorter file, as after an interruption, together with the whole one.
    const files = [account.statement(), account.statement(500), account.statement(1_000), account.statement()];
    const imported = await Promise.all(files.map((content) => scene.import(channel, content)));
    expect(imported.reduce((total, each) => total + each.new, 0)).toBe(account.lines.length);
    expect(imported.reduce((total, each) => total + each.booked, 0)).toBe(deposits.length);
    for (const [index, shop] of shops.entries()) {
      const own = deposits.slice(index * 4, index * 4 + 4);
      expect(await scene.available(shop)).toBe(sum(...own.map(({ amount_to_pay }) => amount_to_pay)));
    }
    expect(await scene.import(channel, account.statement())).toMatchObject({ new: 0, repeated: account.lines.length });
    expect(await scene.wrong()).toEqual([]);
  });

  it('goes on after its process was killed, as if it had not been', async () => {
    const channel = await scene.channel('spread=5');
    const shop = await scene.stack.merchant('0.00');
    const deposits = [];
    for (let n = 0; n < 6; n++) deposits.push(await scene.deposit(channel, shop, '2000.00'));
    const account = new BankAccount();
    for (let n = 0; n < 2_600; n++) account.add({ at: new Date(), amount: BigInt(200 + n) });
    // One in the middle of each sixth of the file.
    for (const [index, deposit] of deposits.entries()) account.lines.splice(index * 430 + 215, 0, paying(deposit));
    for (const lines of [1, 600, 1_200]) await scene.killedImport(channel, account.statement(), lines);
    const stored = await scene.storedLines(channel);
    expect(stored).toBeGreaterThanOrEqual(1_200);
    const rest = await scene.import(channel, account.statement());
    expect(rest).toMatchObject({ lines: account.lines.length, new: account.lines.length - stored, repeated: stored });
    expect(await scene.available(shop)).toBe(sum(...deposits.map(({ amount_to_pay }) => amount_to_pay)));
    expect(await scene.credits(shop)).toHaveLength(deposits.length);
    expect(await scene.wrong()).toEqual([]);
  });

  it('books again under the same ids what a restore of the database has lost', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    const account = new BankAccount().add(paying(deposit), { at: new Date(), amount: 100n });
    await scene.import(channel, account.statement());
    const before = await scene.payments(channel);
    const credits = await scene.credits(shop);
    await scene.stack.fill(`
      SET session_replication_role = 'replica';
      DELETE FROM incoming_payments WHERE channel_id = (SELECT id FROM deposit_channels WHERE code = '${channel}');
      DELETE FROM statement_lines WHERE channel_id = (SELECT id FROM deposit_channels WHERE code = '${channel}');
      DELETE FROM transfers WHERE merchant_id = ${shop.id};
      UPDATE wallets SET available = 0 WHERE merchant_id = ${shop.id};
      UPDATE deposits SET status = 'pending', paid_amount = 0, paid_at = NULL WHERE merchant_id = ${shop.id}`);
    expect(await scene.import(channel, account.statement())).toMatchObject({ new: 2, booked: 1 });
    const after = await scene.payments(channel);
    expect(after.map(({ id, state }) => [id, state])).toEqual(before.map(({ id, state }) => [id, state]));
    expect(await scene.credits(shop)).toEqual(credits);
    expect(await scene.wrong()).toEqual([]);
  });

  it('never makes a deposit wait, nor a payment of another channel', async () => {
    const [channel, other] = [await scene.channel(), await scene.channel()];
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(other, shop);
    const held = `SELECT FROM deposit_channels WHERE code = '${channel}' FOR NO KEY UPDATE`;
    await whileLocked(scene.stack, held, async () => {
      await scene.deposit(channel, shop);
      await scene.import(other, new BankAccount().add(paying(deposit)).statement());
    });
    expect(await scene.available(shop)).toBe(deposit.amount_to_pay);
  });

  it('takes equal lines of one minute for two payments', async () => {
    const channel = await scene.channel();
    const deposit = await scene.deposit(channel, merchant);
    const line = paying(deposit);
    const account = new BankAccount().add(line, { ...line, amount: -line.amount }, line);
    const [, first, , third] = account.statement().split('\n');
    expect(first).toBe(third);
    expect(await scene.import(channel, account.statement())).toMatchObject({
      new: 3,
      in: 2,
      booked: 1,
      waiting: 1,
      out: 1,
    });
    expect(await scene.payments(channel, '--waiting')).toMatchObject([
      { state: 'waiting', reason: 'DOUBLE', suggestions: [{ deposit_number: deposit.deposit_number }] },
    ]);
  });

  it('refuses a whole file that does not continue the imported lines, and moves nothing', async () => {
    const channel = await scene.channel();
    const deposit = await scene.deposit(channel, merchant);
    const yesterday = new Date(Date.now() - 86_400_000);
    const account = new BankAccount().add({ at: yesterday, amount: 100n }, { at: yesterday, amount: 200n });
    await scene.import(channel, account.statement());
    account.add(paying(deposit));
    const [header = '', first = '', second = '', third = ''] = account.statement().split('\n');
    const files: [code: string, ...rows: string[]][] = [
      ['EMPTY'],
      ['UNKNOWN_COLUMNS', 'Date,Sum', first],
      ['UNREADABLE', header, first, second, third.replace(/,\d+\.\d\d,$/, ',1.234,')],
      ['BALANCE_BROKEN', header, first, second, third.replace(/\d,$/, (end) => `${(Number(end[0]) + 1) % 10},`)],
      ['LINE_MISSING', header, first, second.replace('Transfer', 'Changed'), third],
    ];
    for (const [code, ...rows] of files) {
      expect([code, (await scene.refusedImport(channel, rows.join('\n'))).code]).toEqual([code, code]);
    }
    const late = new BankAccount().add(paying(deposit)).statement();
    expect(await scene.refusedImport(channel, late)).toMatchObject({
      code: 'GAP',
      stderr: expect.stringContaining('missing') as unknown,
    });
    const other = new BankAccount(5n).add({ at: yesterday, amount: 100n }, paying(deposit)).statement();
    expect(await scene.refusedImport(channel, other)).toMatchObject({ code: 'CHAIN_BROKEN' });
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'pending' });
    expect(await scene.payments(channel)).toHaveLength(2);
    expect(await scene.import(channel, [header, first, second, third].join('\n'))).toMatchObject({ new: 1, booked: 1 });
  });

  it('refuses a reference of another day, which may be another payment of the same amount', async () => {
    const columns = 'columns=date=Date;time=Time;out=Out;in=In;reference=Reference';
    const channel = await scene.channel(columns, 'reference_unique=true');
    const line = paying(await scene.deposit(channel, merchant), { reference: 'R-1' });
    const earlier = { ...line, at: before(line.at, 24 * 3_600_000) };
    await scene.import(channel, new BankAccount().add(earlier).statement());
    const refused = await scene.refusedImport(channel, new BankAccount().add(line).statement());
    expect(refused).toMatchObject({
      code: 'CHAIN_BROKEN',
      stderr: expect.stringContaining('line 2: its reference') as unknown,
    });
    expect(await scene.import(channel, new BankAccount().add(earlier).statement())).toMatchObject({ repeated: 1 });
  });

  it('takes a line of an earlier day where it stands among those of a day', async () => {
    const [channel, other] = [await scene.channel(), await scene.channel()];
    const noon = `${dayIn('Asia/Bangkok')}T12:00:00+07:00`;
    const line = (daysAgo: number, minute: number) => ({
      at: before(noon, (daysAgo * 24 * 60 - minute) * 60_000),
      amount: 100n,
    });
    const account = new BankAccount().add(line(3, 0), line(2, 0), line(3, 1), line(2, 1));
    for (const each of [channel, other])
      expect(await scene.import(each, account.statement(3))).toMatchObject({ new: 3 });
    const secondDay = new BankAccount(1_000_100n).add(...account.lines.slice(1));
    expect(await scene.import(channel, secondDay.statement())).toMatchObject({ new: 1, repeated: 2 });
    expect(await scene.import(channel, secondDay.statement(1))).toMatchObject({ new: 0, repeated: 1 });
    const thirdDay = new BankAccount(1_000_300n).add(line(1, 0));
    expect(await scene.import(other, thirdDay.statement())).toMatchObject({ new: 1, repeated: 0 });
    expect(await scene.wrong()).toEqual([]);
  });

  it('names the days without a line after a day that ended with the balance with which it began', async () => {
    const channel = await scene.channel();
    const noon = `${dayIn('Asia/Bangkok')}T12:00:00+07:00`;
    const on = (daysAgo: number, amount: bigint) => ({ at: before(noon, daysAgo * DAY_MS), amount });
    const [from = '', to = ''] = [8, 7].map((daysAgo) => dayIn('Asia/Bangkok', before(noon, daysAgo * DAY_MS)));
    const days = async (content: string): Promise<string[]> =>
      (await scene.import(channel, content)).days_without_lines;
    // All of the account's money goes out on the same day, so its days end as they begin.
    expect(await days(new BankAccount().add(on(9, 700n), on(9, -700n)).statement())).toEqual([]);
    const later = new BankAccount().add(on(6, 500n), on(6, -500n)).statement();
    const file = scene.file(later);
    const { code, stdout, stderr } = await scene.operator.run(
      'statement',
      'import',
      file,
      '--channel',
      channel,
      '--json',
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining(`there is no line of ${from} to ${to}, and`)]);
    expect(JSON.parse(stdout)).toMatchObject({ days_without_lines: [from, to] });
    expect(await days(new BankAccount().add(on(5, 300n)).statement())).toEqual([]);
    // The days before it are not named: the day before them did not end as it began. A day of 0.00 may be missing all the same.
    expect(await days(new BankAccount(1_000_300n).add(on(2, 100n)).statement())).toEqual([]);
  });

  it('keeps the texts sealed, and only the hash of the file', async () => {
    const channel = await scene.channel();
    const account = new BankAccount().add({ at: new Date(), amount: 100n, text: 'Somchai Jaidee' });
    await scene.import(channel, account.statement());
    const [imported] = await scene.operator.json<
      { file_sha256: string; lines: number; opening: string; closing: string }[]
    >('statement', 'list', '--channel', channel);
    expect(imported).toMatchObject({ lines: 1, opening: '10000.00', closing: '10001.00' });
    expect(imported?.file_sha256).toMatch(/^[0-9a-f]{64}$/);
    const rows = await scene.stack.sql<object>('SELECT text_sealed::text, l::text FROM statement_lines l');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('Somchai').toString('hex'));
    expect(await scene.operator.json<{ rotated: number }>('secrets', 'rotate')).toMatchObject({ rotated: 0 });
  });
});

const sum = (...amounts: string[]): string => {
  const total = amounts.reduce((all, amount) => all + satang(amount), 0n);
  return `${total / 100n}.${String(total % 100n).padStart(2, '0')}`;
};
