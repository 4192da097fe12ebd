import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChannelsService } from '../../src/deposits/channels.service.js';
import { IncomingPaymentsService } from '../../src/deposits/incoming-payments.service.js';
import type { TestMerchant } from '../support/stack.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { eventually } from '../support/eventually.js';
import { BankAccount, before, COLUMNS, DepositsScene, paying, satang, type DepositView } from './scene.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let scene: DepositsScene;
let merchant: TestMerchant;

beforeAll(async () => {
  scene = await DepositsScene.start();
  merchant = await scene.stack.merchant('0.00');
});

afterAll(() => scene.close());

/** The command that makes a deposit under a reference. */
const creating = (reference: string, channel: string, amount = '1000.00'): string[] =>
  `deposit create --merchant ${merchant.id} --reference-id ${reference} --channel ${channel} --amount ${amount}`.split(
    ' ',
  );

describe('deposits that are recognized by their amounts', () => {
  it('get 180 different amounts of 1000.00, and no 181st', async () => {
    const channel = await scene.channel('spread=2');
    const some: DepositView[] = [];
    // Each command connects by itself, so that all at once would wait too long for connections.
    for (let round = 0; round < 5; round++)
      some.push(...(await Promise.all(Array.from({ length: 4 }, () => scene.deposit(channel, merchant)))));
    const amounts = some.map(({ amount_to_pay }) => satang(amount_to_pay));
    expect(new Set(amounts).size).toBe(20);
    expect(
      amounts.every((each) => each > 100_000n && each <= 101_999n && each % 11n === 3n && each % 100n !== 0n),
    ).toBe(true);
    // The others, as they would be dealt.
    await scene.stack.sql(
      `INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, holds_amount,
                             expires_at, hold_until, source)
       SELECT deposit_number || n, merchant_id, channel_id, reference_id || n, reference || n, amount, n, true, expires_at, hold_until, source
       FROM (SELECT * FROM deposits WHERE deposit_number = $1) d, generate_series(100001, 102000) n
       WHERE n % 11 = 3 AND n % 100 <> 0 AND NOT n = ANY($2::int[])`,
      [some[0]?.deposit_number, amounts.map(Number)],
    );
    expect(await scene.operator.refused(...creating('one-more', channel))).toMatch(
      /every amount near 1000\.00 THB is reserved/,
    );
  });

  it('are created once for one reference, also at once; other content is refused', async () => {
    const channel = await scene.channel();
    const args = creating('once', channel);
    const made = await Promise.all(Array.from({ length: 4 }, () => scene.operator.json<DepositView>(...args)));
    expect(new Set(made.map(({ deposit_number }) => deposit_number)).size).toBe(1);
    expect(await scene.operator.refused(...creating('once', channel, '1000.01'))).toMatch(
      /was used for another deposit/,
    );
  });

  it('are paid late, and after they expired', async () => {
    const channel = await scene.channel();
    const deposit = await scene.deposit(channel, merchant);
    await scene.age(deposit, 2 * HOUR_MS);
    await scene.withStatus(deposit, 'expired');
    await scene.import(channel, new BankAccount().add(paying(deposit)).statement());
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'paid', payments: [{ late: true }] });
  });

  it('are paid after they were cancelled', async () => {
    const channel = await scene.channel();
    const deposit = await scene.deposit(channel, merchant);
    await scene.stack.sql(`UPDATE deposits SET status = 'cancelled', cancelled_at = now() WHERE deposit_number = $1`, [
      deposit.deposit_number,
    ]);
    await scene.import(channel, new BankAccount().add(paying(deposit)).statement());
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'paid' });
  });

  it.each<[string, string, (deposit: DepositView) => { at?: Date; amount?: bigint }]>([
    ['an hour before creation', 'TOO_EARLY', ({ created_at }) => ({ at: before(created_at, HOUR_MS) })],
    ['two minutes before creation', 'TOO_EARLY', ({ created_at }) => ({ at: before(created_at, 2 * MINUTE_MS) })],
    ['after the hold', 'UNMATCHED', ({ hold_until }) => ({ at: before(hold_until, -2 * MINUTE_MS) })],
    ['1.00 short', 'UNMATCHED', ({ amount_to_pay }) => ({ amount: satang(amount_to_pay) - 100n })],
    ['0.01 over', 'UNMATCHED', ({ amount_to_pay }) => ({ amount: satang(amount_to_pay) + 1n })],
    ['the amount without its satang', 'UNMATCHED', () => ({ amount: 20_000n })],
  ])('wait for a person when paid %s, with the right deposit first', async (_, reason, changes) => {
    const channel = await scene.channel();
    const deposit = await scene.deposit(channel, merchant, '200.00');
    // A hold that is over lies in the past for the statement, too.
    if (reason === 'UNMATCHED') await scene.age(deposit, 30 * HOUR_MS);
    const moved = await scene.show(deposit.deposit_number);
    await scene.import(channel, new BankAccount().add(paying(moved, changes(moved))).statement());
    expect(await scene.payments(channel, '--waiting')).toMatchObject([{ state: 'waiting', reason }]);
    const [payment] = await scene.payments(channel);
    expect(payment?.suggestions[0]?.deposit_number).toBe(deposit.deposit_number);
    expect(await scene.show(deposit.deposit_number)).not.toMatchObject({ status: 'paid' });
  });

  it('wait if they are large, until an operator credits them', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    await scene.operator.json('channel', 'set', '--code', channel, '--adapter', 'promptpay', '--hold-above', '999.99');
    const deposit = await scene.deposit(channel, shop);
    await scene.import(channel, new BankAccount().add(paying(deposit)).statement());
    const [payment] = await scene.payments(channel, '--waiting');
    expect(payment).toMatchObject({ reason: 'LARGE', suggestions: [{ deposit_number: deposit.deposit_number }] });
    expect(await scene.available(shop)).toBe('0.00');
  });
});

describe('deposits that are recognized by a reference', () => {
  it('are found without reading the others of their amount', async () => {
    const { stack } = scene;
    const channel = await scene.billerChannel();
    const { deposit_number, reference } = await scene.deposit(channel, await stack.merchant('0.00'));
    await stack.sql(
      `INSERT INTO deposits (deposit_number, merchant_id, channel_id, reference_id, reference, amount, amount_to_pay, holds_amount,
                             expires_at, hold_until, source)
       SELECT deposit_number || n, merchant_id, channel_id, reference_id || n, reference || n, amount, amount, false, expires_at,
              hold_until, source FROM deposits, generate_series(1, 1000) n WHERE deposit_number = $1`,
      [deposit_number],
    );
    await stack.fill('ANALYZE deposits');
    const connected = await stack.api.get(ChannelsService).connectByCode(channel);
    const payment = { amount: 100_000n, currency: 'THB', paidAt: new Date(), precision: 'second', texts: [] } as const;
    const text = `SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'deposits'`;
    const [match, read] = await stack.database.transaction(async (tx) => {
      const reported = [{ ...payment, references: [reference] }];
      const [found] = await stack.api.get(IncomingPaymentsService).match(tx, connected, reported);
      return [found, await tx.query<{ rows: bigint }>({ name: '', text })] as const;
    });
    expect(match).toMatchObject({ state: 'booked', by: 'reference', deposit: { deposit_number } });
    expect(Number(read[0]?.rows)).toBeLessThan(1_000);
  });

  it('are credited with what arrived, whenever it did, as often as it did', async () => {
    const channel = await scene.billerChannel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    expect(deposit.amount_to_pay).toBe('1000.00');
    expect(deposit.qr_payload).toContain(deposit.reference);
    await scene.age(deposit, 72 * HOUR_MS);
    const reference = `${deposit.reference.toLowerCase()} KTB`;
    const account = new BankAccount().add(
      paying(deposit, { amount: 99_900n, reference }),
      paying(deposit, { amount: 1n, reference }),
      // A reference in free text, and a part of one, are none.
      paying(deposit, { text: deposit.reference }),
      paying(deposit, { reference: `X${deposit.reference}` }),
    );
    expect(await scene.import(channel, account.statement())).toMatchObject({ booked: 2, waiting: 2 });
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'paid', paid_amount: '999.01' });
    expect(await scene.available(shop)).toBe('999.01');
    expect(await scene.wrong()).toEqual([]);
  });

  it('contradicted by a later file are a case that an operator closes', async () => {
    const columns = 'columns=date=Date;time=Time;out=Out;in=In;reference=Reference';
    const channel = await scene.billerChannel(columns, 'reference_unique=true');
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    const line = paying(deposit, { reference: `${deposit.reference}-1` });
    await scene.import(channel, new BankAccount().add(line).statement());
    expect(await scene.available(shop)).toBe('1000.00');
    const otherColumn = ['--option', columns.replace('=Reference', '=Details')];
    expect(
      await scene.operator.refused('channel', 'set', '--code', channel, '--adapter', 'promptpay', ...otherColumn),
    ).toMatch(/reference=Reference, no balances.+ ask it for files with the earlier name/);
    expect(await scene.import(channel, new BankAccount().add({ ...line, amount: 1n }).statement())).toMatchObject({
      new: 0,
      repeated: 1,
    });
    expect(await scene.available(shop)).toBe('1000.00');
    const [payment] = await scene.payments(channel, '--cases');
    expect(payment).toMatchObject({ state: 'booked', reason: 'CONTRADICTION', amount: '1000.00' });
    expect(await scene.wrong()).toMatchObject([expect.stringMatching(/^deposit_witnesses: .+CONTRADICTION/)]);
    await scene.stack.credit(shop.id, '0.50');
    await scene.operator.json(
      'wallet',
      'debit',
      '--merchant',
      String(shop.id),
      '--amount',
      '600.50',
      '--reference',
      'spent',
    );
    const id = payment?.id ?? '';
    const debit = await scene.operator.run('payment', 'debit', id, '--reason', 'the bank reversed it', '--json');
    expect(debit).toMatchObject({ code: 0, stderr: '600.00 THB were no longer available in the wallet\n' });
    expect(await scene.available(shop)).toBe('0.00');
    expect(await scene.credits(shop)).toEqual([
      { amount: '-400.00', reference_id: `deposit:${id}:back` },
      { amount: '1000.00', reference_id: `deposit:${id}` },
    ]);
    expect(await scene.operator.refused('payment', 'keep', id, '--reason', 'r')).toMatch(/was decided by .+ \(debit\)/);
    expect(await scene.wrong()).toEqual([]);
  });
});

describe('an operator', () => {
  it('credits, returns and ignores payments that wait, each once', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    const at = new Date();
    const account = new BankAccount().add(...[77_700n, 88_800n, 99_900n, 11_100n].map((amount) => ({ at, amount })));
    await scene.import(channel, account.statement());
    const [one, two, three, four] = (await scene.payments(channel, '--waiting')).map(({ id }) => id);
    const decide = (decision: string, id = '', ...options: string[]): Promise<unknown> =>
      scene.operator.json('payment', decision, id, '--reason', 'asked by phone', ...options);

    const credit = [
      'payment',
      'credit',
      one ?? '',
      '--deposit',
      deposit.deposit_number,
      '--reason',
      'asked by phone',
      '--json',
    ];
    const twice = await Promise.all([0, 1].map(() => scene.operator.run(...credit)));
    expect(twice.map(({ code }) => Number(code)).sort((a, b) => a - b)).toEqual([0, 1]);
    expect(twice.map(({ stderr }) => stderr).join('')).toMatch(/was decided by .+ \(credit\): it is booked/);
    expect(await scene.show(deposit.deposit_number)).toMatchObject({ status: 'paid', paid_amount: '777.00' });

    expect(await decide('credit', two, '--merchant', String(shop.id))).toMatchObject({
      booked_by: 'person',
      merchant_id: shop.id,
    });
    const [made] = await scene.operator.json<DepositView[]>(
      'deposit',
      'list',
      '--merchant',
      String(shop.id),
      '--limit',
      '1',
    );
    expect(made).toMatchObject({ reference_id: two, status: 'paid', paid_amount: '888.00', source: 'operator' });

    expect(await decide('return', three, '--reference', 'OUT-1')).toMatchObject({ state: 'returned' });
    expect(await decide('ignore', four)).toMatchObject({ state: 'ignored', decision: { reason: 'asked by phone' } });
    expect(await scene.available(shop)).toBe('1665.00');
    expect(await scene.payments(channel, '--waiting')).toEqual([]);

    await scene.operator.refusedAll([
      [['payment', 'ignore', four ?? '', '--reason', 'r'], /was decided by .+ \(ignore\): it is ignored/],
      [['payment', 'ignore', 'pay_none', '--reason', 'r'], /there is no payment pay_none/],
      [['payment', 'credit', one ?? '', '--reason', 'r'], /one of --deposit and --merchant/],
      [['payment', 'keep', one ?? '', '--reason', 'r'], /is no open case/],
      [
        ['wallet', 'credit', '--merchant', '1', '--amount', '1.00', '--reference', 'deposit:x'],
        /must not begin with "deposit:"/,
      ],
    ]);
    const sandbox = await scene.stack.sandboxMerchant('0.00');
    expect(
      await scene.operator.refused('payment', 'credit', one ?? '', '--merchant', String(sandbox.id), '--reason', 'r'),
    ).toMatch(/sandbox merchant/);
    const log = await scene.operator.json<{ action: string; merchant_id: number | null; detail: object }[]>(
      'log',
      '--merchant',
      String(shop.id),
    );
    expect(log.filter(({ action }) => action === 'payment.credit')).toHaveLength(2);
    const day = new Date(at.getTime() + 7 * HOUR_MS).toISOString().slice(0, 10);
    const report = ['report', 'deposits', '--from', day, '--to', day, '--channel', channel];
    expect(await scene.operator.json(...report)).toMatchObject([
      { channel, payments: 4, amount: '2775.00', without_person: 0, by_person: 2, waiting: 0, returned: 1, ignored: 1 },
    ]);
    expect(await scene.operator.json(...report, '--by', 'merchant')).toMatchObject([
      { merchant_id: shop.id, payments: 2, amount: '1665.00' },
      { merchant_id: null, payments: 2, amount: '1110.00' },
    ]);
    const { stdout } = await scene.operator.run(...report, '--by', 'day', '--csv');
    expect(stdout).toMatch(new RegExp(`^day,payments,amount,.+\n${day},4,2775\\.00,0,2,0,1,1,\\d+,0\n$`));
    expect(await scene.wrong()).toEqual([]);
  });

  it('are reported by merchant in the order of the merchants’ numbers', async () => {
    const channel = await scene.channel();
    await scene.stack.sql('ALTER TABLE merchants ALTER COLUMN id RESTART WITH 9999');
    const shops = [await scene.stack.merchant('0.00'), await scene.stack.merchant('0.00')];
    const account = new BankAccount();
    for (const shop of shops) account.add(paying(await scene.deposit(channel, shop)));
    await scene.import(channel, account.statement());
    const day = (at: Date): string => new Date(at.getTime() + 7 * HOUR_MS).toISOString().slice(0, 10);
    const days = ['--from', day(before(new Date(), HOUR_MS)), '--to', day(new Date())];
    const report = ['report', 'deposits', ...days, '--channel', channel, '--by', 'merchant'];
    const rows = await scene.operator.json<{ merchant_id: number }[]>(...report);
    expect(rows.map(({ merchant_id }) => merchant_id)).toEqual([9_999, 10_000]);
  });

  it('finds a deposit by its name, although a merchant gave another deposit that name', async () => {
    const channel = await scene.billerChannel();
    const other = await scene.stack.merchant('0.00');
    const { deposit_number, reference } = await scene.deposit(channel, other);
    for (const name of [deposit_number, reference]) {
      await scene.operator.json(...creating(name, channel));
      expect(await scene.show(name)).toMatchObject({ deposit_number });
      const ofMerchant = ['deposit', 'show', name, '--merchant', String(merchant.id)];
      expect(await scene.operator.json(...ofMerchant)).toMatchObject({ reference_id: name });
    }
    const ofBoth = creating('of-both', channel);
    for (const { id } of [merchant, other]) await scene.operator.json(...ofBoth.with(3, String(id)));
    expect(await scene.operator.refused('deposit', 'show', 'of-both')).toMatch(/several deposits .+: add --merchant/);
  });

  it('is asked nothing about a payment or a channel that does not exist', async () => {
    for (const [of, ...command] of [
      ['payment', 'payment', 'ignore', 'pay_none', '--reason', 'r'],
      ['channel', 'channel', 'remove', 'none'],
    ]) {
      const { code, screen } = await scene.operator.prompted(command, 'y\n');
      expect([code, screen]).toEqual([1, expect.stringContaining(`there is no ${of} `)]);
      expect(screen).not.toContain('Go on?');
    }
  });

  it('sees that a list is cut, and where', async () => {
    const channel = await scene.channel();
    await scene.deposit(channel, merchant);
    const at = new Date();
    await scene.import(channel, new BankAccount().add({ at, amount: 77_700n }, { at, amount: 88_800n }).statement());
    const listed = async (what: string, ...options: string[]): Promise<string> =>
      (await scene.operator.run(what, 'list', '--channel', channel, ...options)).stdout;
    expect(await listed('deposit', '--limit', '1')).toMatch(/^The newest 1; --limit shows more\.\n\n/);
    expect(await listed('payment', '--limit', '2')).toMatch(/^The newest 2; --limit shows more\.\n\n/);
    expect(await listed('payment', '--waiting', '--limit', '1')).toMatch(/^The oldest 1; .+\n\n[^]+ 777\.00 /);
    expect(await listed('payment')).not.toContain('--limit');
  });

  it('learns that a filter can match nothing, and gets no empty list', async () => {
    const days = ['--from', '2026-01-15', '--to', '2026-01-15'];
    const noChannel = 'error: there is no channel none: topup channel list shows them\n';
    await scene.operator.refusedAll([
      [['deposit', 'list', '--channel', 'none'], noChannel],
      [['deposit', 'list', '--merchant', '999999999'], /there is no merchant 999999999/],
      [['deposit', 'list', '--created-from', '2026-01-02', '--created-to', '2026-01-02'], /--created-to must be later/],
      [['payment', 'list', '--channel', 'none'], noChannel],
      [['payment', 'list', '--merchant', '999999999'], /there is no merchant 999999999/],
      [['payment', 'list', '--waiting', '--cases'], 'error: choose one: --waiting or --cases\n'],
      [['statement', 'list', '--channel', 'none'], noChannel],
      [['report', 'deposits', ...days, '--channel', 'none'], noChannel],
    ]);
  });

  it('credits suspended merchants, whose money it is', async () => {
    const channel = await scene.channel();
    const shop = await scene.stack.merchant('0.00');
    const deposit = await scene.deposit(channel, shop);
    await scene.operator.json('merchant', 'suspend', String(shop.id));
    await scene.import(channel, new BankAccount().add(paying(deposit)).statement());
    expect(await scene.available(shop)).toBe(deposit.amount_to_pay);
  });

  it('sets channels, and is refused what would book twice or wrongly', async () => {
    const channel = await scene.channel('account=004:0123456789');
    await scene.deposit(channel, merchant);
    const set = (code: string, ...options: string[]): string[] => [
      'channel',
      'set',
      '--code',
      code,
      '--adapter',
      'promptpay',
      ...options.flatMap((option) => ['--option', option]),
    ];
    const shown = await scene.operator.json<{ options: { promptpay_id: string } }>('channel', 'show', channel);
    await scene.operator.refusedAll([
      [set('other', 'promptpay_id=0812345678', 'biller_id=010555123456701'), /requires exactly one of the options/],
      [set('other'), /requires exactly one of the options/],
      [set('other', 'promptpay_id=081234567890'), /must be a mobile number/],
      [set('other', `promptpay_id=${shown.options.promptpay_id}`), /has this account already/],
      [set('other', 'promptpay_id=0812345679', 'account=004:0123456789'), /has this account already/],
      [set('other', 'promptpay_id=0812345679', 'columns=date=D;in=I;balance=B'), /column time/],
      [set('other', 'promptpay_id=0812345679', 'class=11'), /whole number, 0 to 10/],
      [set('other', 'promptpay_id=0812345679', 'colour=red'), /has no option colour/],
      [set('sandbox', 'promptpay_id=0812345679'), /is built in/],
      [set(channel, 'promptpay_id=0812345670'), /has deposits or statements of its account/],
      [['channel', 'remove', channel], /make it inactive instead/],
      [['deposit', 'show', 'none'], /there is no deposit none/],
    ]);
    await scene.import(channel, new BankAccount().statement());
    // Otherwise lines would get other identities, and those that were booked would become new payments.
    const unnumbered = 'columns=date=Date;time=Time;out=Out;in=In;reference=Reference';
    expect(await scene.operator.refused(...set(channel, 'reference_unique=true', unnumbered))).toMatch(
      /has imported statements with balances.+give its new name in columns, as balance=NAME/,
    );
    for (const balance of ['Saldo', 'Balance'])
      await scene.operator.json(...set(channel, `columns=${COLUMNS.replace('=Balance', `=${balance}`)}`));
    const listed = await scene.operator.json<{ code: string }[]>('channel', 'list');
    expect(listed.find(({ code }) => code === channel)).toEqual(await scene.operator.json('channel', 'show', channel));
    await scene.operator.json('channel', 'set', '--code', channel, '--adapter', 'promptpay', '--inactive');
    expect(await scene.operator.refused(...creating('late', channel))).toMatch(/there is no active channel/);
  });
});

describe('the metrics', () => {
  it('say what waits at a channel, and how old its statements are', async () => {
    const channel = await scene.channel();
    await scene.import(channel, new BankAccount().add({ at: new Date(), amount: 100n }).statement());
    const port = await openManagementPort(scene.stack.api, 0);
    const of = { channel };
    const scrape = await eventually(
      () => Scrape.of(port),
      (scraped) => scraped.value('topup_incoming_waiting', of) === 1,
    );
    expect(scrape.value('topup_incoming_oldest_seconds', of)).toBeGreaterThanOrEqual(0);
    expect(scrape.value('topup_statement_age_seconds', of)).toBeGreaterThanOrEqual(0);
  });
});
