import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { present } from '../../src/core/invariant.js';
import type { Run } from '../cli/command-line.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { eventually } from '../support/eventually.js';
import { holding } from '../support/locks.js';
import { failuresOf } from '../support/planted.js';
import { BankAccount, DepositsScene, paying } from './scene.js';

const DAY_MS = 86_400_000;

let scene: DepositsScene;

beforeAll(async () => {
  scene = await DepositsScene.start();
});

afterAll(() => scene.close());

describe('a wallet that can hold no more', () => {
  it('keeps its payment waiting, and no other one', async () => {
    const channel = await scene.channel();
    const [full, other] = [await scene.stack.merchant('0.00'), await scene.stack.merchant('0.00')];
    await scene.stack.credit(full.id, '999999999500.00');
    const [first, second] = [await scene.deposit(channel, full), await scene.deposit(channel, other)];
    const account = new BankAccount().add(paying(first), paying(second));
    expect(await scene.import(channel, account.statement())).toMatchObject({ new: 2, booked: 1, waiting: 1 });
    expect(await scene.available(other)).toBe(second.amount_to_pay);
    const [payment] = await scene.payments(channel, '--waiting');
    expect(payment).toMatchObject({ amount: first.amount_to_pay, reason: 'WALLET_FULL' });
    expect(payment?.suggestions[0]?.deposit_number).toBe(first.deposit_number);
    expect(await scene.show(first.deposit_number)).toMatchObject({ status: 'pending', paid_amount: '0.00' });
    const credit = ['payment', 'credit', payment?.id ?? '', '--deposit', first.deposit_number, '--reason', 'r'];
    expect(await scene.operator.refused(...credit)).toMatch(/cannot hold more/);
    await scene.operator.json(
      ...`wallet debit --merchant ${full.id} --amount 999999999500.00 --reference out`.split(' '),
    );
    // A second payment of the amount waits as it would in the file of the first, although the wallet has room by now.
    expect(await scene.import(channel, account.add(paying(first)).statement())).toMatchObject({ new: 1, waiting: 1 });
    const reasons = (await scene.payments(channel, '--waiting')).map(({ reason }) => reason);
    expect(reasons).toEqual(['WALLET_FULL', 'DOUBLE']);
    await scene.operator.json(...credit);
    expect(await scene.available(full)).toBe(first.amount_to_pay);
    expect(await scene.wrong()).toEqual([]);
  });
});

describe('a payment that waits', () => {
  it('keeps its reason when a later file contradicts it', async () => {
    const columns = 'columns=date=Date;time=Time;out=Out;in=In;reference=Reference';
    const channel = await scene.billerChannel(columns, 'reference_unique=true');
    const line = { at: new Date(), amount: 5_000n, reference: 'B1' };
    await scene.import(channel, new BankAccount().add(line).statement());
    expect(await scene.payments(channel)).toMatchObject([{ reason: 'UNMATCHED', contradicted: false }]);
    await scene.import(channel, new BankAccount().add({ ...line, amount: 6_000n }).statement());
    const contradicted = { state: 'waiting', reason: 'UNMATCHED', amount: '50.00', contradicted: true };
    const [waiting] = await scene.payments(channel, '--waiting');
    expect(waiting).toMatchObject(contradicted);

    const shop = await scene.stack.merchant('0.00');
    const to = ['--merchant', String(shop.id), '--reason', 'asked by phone'];
    await scene.operator.json('payment', 'credit', waiting?.id ?? '', ...to);
    const [opened] = await scene.payments(channel, '--cases');
    expect(opened).toMatchObject({ id: waiting?.id, state: 'booked', reason: 'CONTRADICTION', amount: '50.00' });
    await scene.operator.json('payment', 'keep', waiting?.id ?? '', '--reason', 'the first file is right');
    expect(await scene.payments(channel, '--cases')).toEqual([]);
  });
});

describe('a case that was kept', () => {
  it('is open again when a later file contradicts it for the first time', async () => {
    const columns = 'columns=date=Date;time=Time;out=Out;in=In;reference=Reference';
    const channel = await scene.billerChannel(columns, 'reference_unique=true');
    const deposit = await scene.deposit(channel, await scene.stack.merchant('0.00'));
    const line = paying(deposit, { reference: `${deposit.reference}-1` });
    await scene.import(channel, new BankAccount().add(line).statement());
    // As an operator leaves it who kept the payment of a slip before its line came.
    const kept = `UPDATE incoming_payments SET decision = 'keep', decided_by = 'o', decision_reason = 'r', decided_at = now()
                  WHERE deposit_id = (SELECT id FROM deposits WHERE deposit_number = $1)`;
    await scene.stack.sql(kept, [deposit.deposit_number]);
    const contradict = () => scene.import(channel, new BankAccount().add({ ...line, amount: 1n }).statement());
    await contradict();
    const [opened] = await scene.payments(channel, '--cases');
    expect(opened).toMatchObject({ state: 'booked', reason: 'CONTRADICTION' });
    await scene.operator.json('payment', 'keep', opened?.id ?? '', '--reason', 'the first file is right');
    await contradict();
    expect(await scene.payments(channel, '--cases')).toEqual([]);
    expect(await scene.wrong()).toEqual([]);
  });
});

describe('a channel that an operator sets while a file is imported', () => {
  /** Imports, and sets an option after the channel was read and before the import has its lock. */
  const importWhileSet = async (channel: string, option: string, value: string): Promise<Run> => {
    const file = scene.file(new BankAccount().add({ at: new Date(), amount: 5_000n }).statement());
    let imported: Promise<Run> | undefined;
    await holding(scene.stack, 'deposit_channels', async (client) => {
      imported = scene.operator.run('statement', 'import', file, '--channel', channel, '--json');
      // PostgreSQL cuts the text of the statement before its end.
      const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                       AND query LIKE 'SELECT "DepositChannel"%'`;
      await eventually(
        () => scene.stack.sql(waits),
        ({ length }) => length === 1,
      );
      const set = `UPDATE deposit_channels SET options = options || jsonb_build_object($2::text, $3::text) WHERE code = $1`;
      await client.query(set, [channel, option, value]);
    });
    return present(imported, 'the import was started');
  };

  it('matches by the new settings', async () => {
    const { stdout } = await importWhileSet(await scene.channel(), 'ignore', 'Transfer');
    expect(JSON.parse(stdout)).toMatchObject({ new: 1, ignored: 1, waiting: 0 });
  });

  it('takes no file that was read by other columns', async () => {
    const channel = await scene.channel();
    const columns = 'date=Date;time=Time;text=Details;in=Out;out=In;balance=Balance';
    const { code, stderr } = await importWhileSet(channel, 'columns', columns);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/were changed meanwhile: import the file again/)]);
    expect(await scene.payments(channel)).toEqual([]);
  });
});

describe('a bank that changes the texts of an unfinished day', () => {
  it('is refused until an operator names the day; then lines are known by their place and amount', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    const line = paying(deposit);
    const day = new Date(line.at.getTime() + 7 * 3_600_000).toISOString().slice(0, 10);
    const account = new BankAccount().add({ at: line.at, amount: 100n }, line);
    await scene.import(channel, account.statement());
    account.lines[1] = { ...line, text: 'Transfer from X1234' };
    const other = await scene.deposit(channel, shop);
    account.add(paying(other));

    const refused = await scene.refusedImport(channel, account.statement());
    expect(refused.code).toBe('LINE_MISSING');
    expect(refused.stderr).toContain(`line 3: its texts differ`);
    expect(refused.stderr).toContain(`--accept-texts-of ${day}`);
    const yesterday = new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
    await expect(scene.import(channel, account.statement(), '--accept-texts-of', yesterday)).rejects.toThrow();
    const accepted = ['--accept-texts-of', day, '--reason', 'completed'];
    expect(await scene.import(channel, account.statement(), ...accepted, '--dry-run')).toMatchObject({ new: 1 });
    expect(await scene.import(channel, account.statement(), ...accepted)).toMatchObject({ new: 1, booked: 1 });
    // The day stays confirmed for files that overlap.
    account.add({ at: new Date(), amount: 100n });
    expect(await scene.import(channel, account.statement())).toMatchObject({ new: 1, repeated: 3 });
    expect(await scene.credits(shop)).toHaveLength(2);
    expect(await scene.wrong()).toEqual([]);

    // Other money is another past, whatever was confirmed.
    account.lines[1] = { ...line, at: new Date(line.at.getTime() - 60_000) };
    expect(await scene.refusedImport(channel, account.statement())).toMatchObject({ code: 'LINE_MISSING' });
    account.lines[1] = { ...line, amount: line.amount + 1n };
    expect(await scene.refusedImport(channel, account.statement())).toMatchObject({ code: 'LINE_MISSING' });
    const log = await scene.operator.json<{ action: string; detail: object }[]>('log', '--limit', '10');
    const imports = log.filter(({ action }) => action === 'statement.import').map(({ detail }) => detail);
    expect(imports).toContainEqual(expect.objectContaining({ channel, accepted_texts_of: day }));
  });
});

describe('a refused file', () => {
  let port: string;

  beforeAll(async () => {
    port = await openManagementPort(scene.stack.api, 0);
  });

  it('shows itself at the channel and in the metrics, until a file is imported', async () => {
    const channel = await scene.channel();
    const isRefused = (value: number): Promise<unknown> =>
      eventually(
        () => Scrape.of(port),
        (scraped) => scraped.value('topup_statement_refused', { channel }) === value,
      );
    await isRefused(0);
    await scene.refusedImport(channel, '');
    await isRefused(1);
    expect(await scene.operator.json('channel', 'show', channel)).toMatchObject({ refused: 'EMPTY' });
    await scene.import(channel, new BankAccount().statement());
    expect(await scene.operator.json('channel', 'show', channel)).toMatchObject({ refused: null });
    await isRefused(0);
  });

  it('and a pause end in the metrics of an inactive channel with its last open deposit', async () => {
    const [channel, biller] = [await scene.channel(), await scene.billerChannel()];
    const shop = await scene.stack.merchant('0.00');
    const deposits = [await scene.deposit(channel, shop), await scene.deposit(biller, shop)];
    const are = (...expected: number[]): Promise<unknown> =>
      eventually(
        async () => {
          const scraped = await Scrape.of(port);
          const names = ['topup_statement_refused', 'topup_slips_paused', 'topup_channel_paused'];
          return [channel, biller].flatMap((code) => names.map((name) => scraped.value(name, { channel: code })));
        },
        (values) => JSON.stringify(values) === JSON.stringify(expected),
      );
    const later = `now() + interval '1 hour'`;
    await scene.stack.sql(
      `UPDATE deposit_channels SET status = 'inactive', refused = 'EMPTY', pause_reason = 'credentials', probe_at = ${later},
                                   slips_paused_until = ${later} WHERE code = ANY($1)`,
      [[channel, biller]],
    );
    await are(1, 1, 1, 1, 1, 1);
    for (const { deposit_number: number } of deposits)
      await scene.stack.sql(
        `UPDATE deposits SET status = 'cancelled', cancelled_at = now(), holds_amount = false WHERE deposit_number = $1`,
        [number],
      );
    await are(0, 0, 0, 0, 0, 0);
    await scene.stack.sql(`UPDATE deposit_channels SET status = 'active' WHERE code = $1`, [channel]);
    await are(1, 1, 1, 0, 0, 0);
  });
});

describe('the audit', () => {
  it('sees a changed payment, credit, deposit and statement', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    await scene.import(channel, new BankAccount().add(paying(deposit), { at: new Date(), amount: 100n }).statement());
    expect(await scene.wrong()).toEqual([]);
    const other = await scene.stack.merchant('0.00');
    const planted: [statement: string, ...failures: string[]][] = [
      [
        `DELETE FROM transfers WHERE reference LIKE 'deposit:pay%' AND merchant_id = ${shop.id}`,
        'deposit_payments: .+: it is booked and has no credit',
      ],
      [
        `UPDATE incoming_payments SET amount = amount + 1 WHERE merchant_id = ${shop.id}`,
        'deposit_payments: .+: its credit has another id, kind, amount or merchant',
        'deposits_paid: .+ is paid with .+, and its payments are .+',
        'bank_statements: .+: it has no payment of its amount',
      ],
      [
        `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, operator)
         SELECT merchant_id, 'debit', 'available', 'funding', amount, 0, reference || ':back', 'nobody' FROM transfers
         WHERE reference LIKE 'deposit:pay%' AND merchant_id = ${shop.id}`,
        'deposit_payments: .+: its debits do not fit its state, decision, merchant or amount',
      ],
      [
        `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, operator)
         VALUES (${shop.id}, 'debit', 'available', 'funding', 1, 0, 'deposit:pay_0123456789ABCDEFGHIJKL:back', 'nobody')`,
        'deposit_payments: .+: it is a debit of no payment',
      ],
      [
        `UPDATE deposits SET paid_amount = paid_amount + 1 WHERE merchant_id = ${shop.id}`,
        'deposits_paid: .+ is paid with .+, and its payments are .+',
      ],
      [
        `UPDATE incoming_payments SET merchant_id = ${other.id} WHERE merchant_id = ${shop.id}`,
        'deposits_paid: .+; a payment of it is of another merchant or channel',
      ],
      [
        `DELETE FROM statement_lines WHERE id = (SELECT min(line_id) FROM incoming_payments WHERE merchant_id = ${shop.id})`,
        'bank_statements: .+: its payment is there, and the line is not',
      ],
      [
        `UPDATE statement_lines SET amount = -amount
         WHERE id = (SELECT min(line_id) FROM incoming_payments WHERE merchant_id = ${shop.id})`,
        'bank_statements: .+: nothing came in by it, and it has a payment',
      ],
      [
        `UPDATE statement_lines SET balance_after = balance_after + 1 WHERE id = (SELECT max(id) FROM statement_lines)`,
        'bank_statements: .+: its balance does not follow from the line before',
      ],
      [
        `DELETE FROM incoming_payments WHERE merchant_id = ${shop.id}`,
        'deposit_payments: .+: it is a credit of no payment',
        'deposits_paid: .+ is paid with .+, and its payments are 0.00',
        'bank_statements: .+: it has no payment of its amount',
      ],
    ];
    for (const [statement, ...failures] of planted) {
      const [seen = []] = await failuresOf(scene.stack, [statement], {});
      const details = seen.map(({ name, detail }) => `${name}: ${detail}`);
      const expected = failures.map((each): unknown => expect.stringMatching(new RegExp(`^${each}`)));
      expect([statement, details]).toEqual([statement, expect.arrayContaining(expected)]);
    }
  });

  it('is backed by the database, which refuses such changes', async () => {
    for (const statement of [
      'DELETE FROM incoming_payments',
      'UPDATE incoming_payments SET amount = amount + 1',
      `UPDATE incoming_payments SET state = 'waiting', reason = 'DOUBLE', transfer_id = NULL WHERE state = 'booked'`,
      'DELETE FROM statement_lines',
      'UPDATE statement_lines SET amount = 1',
      `UPDATE deposits SET status = 'expired', paid_amount = 0, paid_at = NULL WHERE status = 'paid'`,
      'DELETE FROM deposits',
    ]) {
      await expect(scene.stack.sql(statement)).rejects.toThrow();
    }
  });
});
