import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VendorListsService } from '../../../src/deposits/vendor-lists.service.js';
import { openManagementPort, Scrape } from '../../ops/management.js';
import { eventually } from '../../support/eventually.js';
import { whileLocked } from '../../support/locks.js';
import { baht, closeWithRightBooks, type PaymentView } from '../scene.js';
import { OpnScene, type Deposit } from './scene.js';

let scene: OpnScene;

beforeAll(async () => {
  scene = await OpnScene.start();
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

describe('a payment without callbacks', () => {
  it('is booked by the next inquiry, and by the list of payments', async () => {
    const [one, other] = [await scene.unheard(), await scene.unheard()];
    await scene.settle(one);
    await scene.settle(other);
    await scene.ask(one);
    await scene.until(one, 'paid');
    const synced = await scene.deposits.operator.json('channel', 'sync', scene.code);
    expect(synced).toMatchObject({ code: scene.code, unreadable: 0, new: 1, booked: 1, waiting: 0, taken_back: 0 });
    expect(await scene.get(other)).toMatchObject({ status: 'paid' });
    expect(await scene.deposits.operator.json('channel', 'sync', scene.code)).toMatchObject({ new: 0, booked: 0 });
  });

  it('is booked by the list that workers read each night', async () => {
    const { stack } = scene.deposits;
    const made = await scene.unheard();
    await scene.settle(made);
    await stack.sql(`UPDATE deposit_channels SET list_due_at = now() WHERE code = $1`, [scene.code]);
    await stack.api.get(VendorListsService).readDue(new AbortController().signal);
    expect(await scene.until(made, 'paid')).toMatchObject({ paid_amount: '1000.00' });
    // Another worker may be reading it at the same time.
    await eventually(
      () =>
        stack.sql<{ hour: number; is_later: boolean }>(
          `SELECT extract(hour FROM list_due_at AT TIME ZONE 'Asia/Bangkok')::int AS hour, list_due_at > now() AS is_later
           FROM deposit_channels WHERE code = $1`,
          [scene.code],
        ),
      ([next]) => next?.hour === 3 && next.is_later,
    );
  });

  it('is asked about before the offer expires, and for ten minutes if nobody answers', async () => {
    const age = (deposit: Deposit, seconds: number): Promise<unknown> =>
      scene.deposits.stack.sql(
        `UPDATE deposits SET expires_at = now() - $2 * interval '1 second', next_inquiry_at = now() WHERE deposit_number = $1`,
        [deposit.deposit_number, seconds],
      );
    await scene.opn.sim('rules', { match: { call: 'retrieve' }, times: null, http: 500 });
    const made = await scene.unheard();
    await age(made, 30);
    await eventually(
      () => scene.calls(made, 'retrieve'),
      ({ length }) => length > 0,
    );
    expect(await scene.get(made)).toMatchObject({ status: 'pending' });
    await age(made, 601);
    await scene.until(made, 'expired');
    await scene.opn.sim('rules', undefined, 'DELETE');
    const answered = await scene.unheard();
    await age(answered, 1);
    await scene.until(answered, 'expired');
  });
});

describe('payments that Opn reports at once', () => {
  /** Makes the next inquiries about deposits due, so that one worker claims all of them. */
  const askAll = (deposits: Deposit[]): Promise<unknown> =>
    scene.deposits.stack.sql(`UPDATE deposits SET next_inquiry_at = now() WHERE deposit_number = ANY ($1)`, [
      deposits.map(({ deposit_number }) => deposit_number),
    ]);
  const unheard = async (count: number): Promise<Deposit[]> => {
    const deposits: Deposit[] = [];
    while (deposits.length < count) deposits.push(await scene.unheard());
    for (const each of deposits) await scene.settle(each);
    return deposits;
  };
  const until = (passes: (value: { is: boolean }[]) => boolean, query: string): Promise<unknown> =>
    eventually(() => scene.deposits.stack.sql<{ is: boolean }>(query), passes);

  it('share transactions, and the time to their bookings counts from each answer', async () => {
    const { stack } = scene.deposits;
    await stack.stopWorkers();
    const metricsPort = await openManagementPort(await stack.startWorker());
    const spent = async (): Promise<number> =>
      (await Scrape.of(metricsPort)).value('topup_deposit_booking_seconds_sum', {
        channel: scene.code,
        witness: 'charge',
      }) ?? 0;
    const before = await spent();
    const deposits = await unheard(8);
    const lock = `SELECT FROM deposit_channels WHERE code = '${scene.code}' FOR NO KEY UPDATE`;
    await whileLocked(stack, lock, async () => {
      await askAll(deposits);
      await Promise.all(deposits.map((each) => scene.untilCalled(each, 'retrieve')));
      // Two seconds after the first of them waits for the lock.
      await until(
        ([waits]) => waits?.is === true,
        `SELECT max(clock_timestamp() - query_start) > interval '2 seconds' AS is FROM pg_stat_activity
         WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      );
    });
    for (const each of deposits) await scene.until(each, 'paid');
    const [booked] = await stack.sql<{ payments: number; transactions: number }>(
      `SELECT count(*)::int AS payments, count(DISTINCT p.xmin::text)::int AS transactions
       FROM incoming_payments p JOIN deposits d ON d.id = p.deposit_id WHERE d.deposit_number = ANY ($1)`,
      [deposits.map(({ deposit_number }) => deposit_number)],
    );
    expect(booked?.payments).toBe(8);
    expect(booked?.transactions).toBeLessThan(8);
    // Each of them waited for the lock, not only the first.
    expect((await spent()) - before).toBeGreaterThan(4);
  });

  it('are booked also if one of them cannot be recorded', async () => {
    const { stack } = scene.deposits;
    const unwritable = await scene.made({ amount: '666.00' });
    const deposits = await unheard(3);
    await stack.sql('ALTER TABLE incoming_payments ADD CONSTRAINT a_fault CHECK (amount <> 66600) NOT VALID');
    try {
      await scene.settle(unwritable);
      await askAll([unwritable, ...deposits]);
      for (const each of deposits) await scene.until(each, 'paid');
      expect(await scene.get(unwritable)).toMatchObject({ status: 'pending' });
    } finally {
      await stack.sql('ALTER TABLE incoming_payments DROP CONSTRAINT a_fault');
    }
    await scene.ask(unwritable);
    await scene.until(unwritable, 'paid', '666.00');
  });
});

describe('what Opn answers', () => {
  it('ends the offer at once, and a later payment is booked late', async () => {
    const made = await scene.made();
    await scene.settle(made, { status: 'failed' });
    const { expires_at: endedAt } = await scene.until(made, 'expired');
    // Opn names the second of a payment, so one in the second of the end would not be late.
    await eventually(
      () => Math.floor(Date.now() / 1_000) * 1_000,
      (secondMs) => secondMs > Date.parse(endedAt),
    );
    await scene.settle(made);
    expect(await scene.until(made, 'paid')).toMatchObject({ payments: [{ late: true }] });
    expect(await scene.events(made)).toEqual(['deposit.expired', 'deposit.paid']);
  });

  it('changes nothing of a paid deposit if it says later that the charge failed', async () => {
    const made = await scene.made();
    await scene.settle(made);
    await scene.until(made, 'paid');
    const { length: before } = await scene.calls(made, 'retrieve');
    await scene.settle(made, { status: 'failed' });
    await eventually(
      () => scene.calls(made, 'retrieve'),
      ({ length }) => length > before,
    );
    await eventually(
      () =>
        scene.deposits.stack.sql(`SELECT FROM deposits WHERE deposit_number = $1 AND next_inquiry_at IS NULL`, [
          made.deposit_number,
        ]),
      ({ length }) => length === 1,
    );
    expect(await scene.get(made)).toMatchObject({ status: 'paid', paid_amount: '1000.00', payments: [{}] });
    expect(await scene.events(made)).toEqual(['deposit.paid']);
    // So that the list of Opn has it for the report.
    await scene.settle(made);
  });

  it('is credited as it is, not as it was asked for, and waits in another currency', async () => {
    const [short, foreign] = [await scene.made(), await scene.made()];
    await scene.settle(short, { status: 'successful', amount: 90_007 });
    await scene.until(short, 'paid', '900.07');
    await scene.opn.sim('rules', {
      match: { call: 'retrieve', ref_id: foreign.deposit_number },
      set: { currency: 'USD' },
    });
    await scene.settle(foreign);
    const [waiting] = await scene.untilWaiting(1);
    expect(waiting).toMatchObject({ reason: 'WRONG_CURRENCY', amount: '1000.00' });
    await scene.deposits.operator.json('payment', 'ignore', String(waiting?.id), '--reason', 'a test');
  });

  it.each([
    ['another mode', { livemode: true }],
    ['another status', { status: 'on_its_way' }],
    ['another charge', { id: 'chrg_test_other' }],
    ['parts of a satang', { amount: 100_000.5 }],
  ])('proves nothing with %s', async (_, set) => {
    const made = await scene.unheard();
    await scene.settle(made);
    await scene.opn.sim('rules', { match: { call: 'retrieve', ref_id: made.deposit_number }, set, times: null });
    await scene.ask(made);
    await scene.untilCalled(made, 'retrieve');
    expect(await scene.get(made)).toMatchObject({ status: 'pending' });
    await scene.opn.sim('rules', undefined, 'DELETE');
    await scene.ask(made);
    await scene.until(made, 'paid');
  });

  it('waits, with the merchant that it names, if the deposit is unknown', async () => {
    await scene.opn.charge('dep_lost', { metadata: { deposit: 'dep_lost', merchant: String(scene.merchant.id) } });
    await scene.settle({ deposit_number: 'dep_lost' });
    const [waiting] = await scene.untilWaiting(1);
    const named = { deposit_number: null, merchant_id: scene.merchant.id, amount_to_pay: null, why: 'metadata' };
    expect(waiting).toMatchObject({ reason: 'UNMATCHED' });
    expect(waiting?.suggestions[0]).toEqual(named);
    await scene.deposits.operator.json(
      'payment',
      'credit',
      String(waiting?.id),
      '--merchant',
      String(scene.merchant.id),
      '--reason',
      'x',
    );
  });

  it('makes a case of a refund, and leaves the wallet alone', async () => {
    const made = await scene.made();
    await scene.settle(made);
    await scene.until(made, 'paid');
    const before = await scene.available();
    const refund = async (refunded_amount: number): Promise<string> => {
      await scene.settle(made, { status: 'successful', refunded_amount });
      const [refunded] = await eventually(
        () => scene.payments('--cases'),
        ([found]) => (found as { taken_back_amount?: string })?.taken_back_amount === baht(BigInt(refunded_amount)),
      );
      expect(refunded).toMatchObject({ reason: 'TAKEN_BACK', state: 'booked' });
      return String(refunded?.id);
    };
    const id = await refund(40_000);
    expect(await scene.available()).toBe(before);
    expect(await scene.deposits.wrong()).toEqual([expect.stringMatching(/deposit_witnesses: .*is an open case/)]);
    const debit = ['payment', 'debit', id, '--reason', 'refunded', '--yes'];
    await scene.deposits.operator.json(...debit);
    expect(Number(await scene.available())).toBe(Number(before) - 400);
    expect(await scene.deposits.wrong()).toEqual([]);

    // What goes back later is a case again, and only that is taken.
    await refund(70_000);
    expect(Number(await scene.available())).toBe(Number(before) - 400);
    expect(await scene.deposits.wrong()).toEqual([expect.stringMatching(/deposit_witnesses: .*is an open case/)]);
    await scene.deposits.operator.json(...debit);
    expect(Number(await scene.available())).toBe(Number(before) - 700);
    await refund(100_000);
    await scene.deposits.operator.json('payment', 'keep', id, '--reason', 'the merchant paid it back');
    expect(await scene.deposits.credits(scene.merchant)).toEqual(
      expect.arrayContaining([
        { amount: '-300.00', reference_id: `deposit:${id}:back2` },
        { amount: '-400.00', reference_id: `deposit:${id}:back` },
      ]),
    );
    expect(await scene.deposits.wrong()).toEqual([]);
  });

  it('makes a case of a refund also if Opn does not answer the inquiry after its only callback', async () => {
    const made = await scene.made();
    await scene.settle(made);
    await scene.until(made, 'paid');
    // Weeks ago, so that only the callback leads to an inquiry.
    await scene.deposits.stack.sql(
      `UPDATE deposits SET created_at = created_at - x.age, expires_at = expires_at - x.age, hold_until = hold_until - x.age,
                           asked_at = asked_at - x.age, answered_at = answered_at - x.age
       FROM (SELECT interval '30 days' AS age) x WHERE deposit_number = $1`,
      [made.deposit_number],
    );
    const ofDeposit = { call: 'retrieve', ref_id: made.deposit_number };
    await scene.opn.sim('rules', { match: ofDeposit, http: 500 });
    const { length: before } = await scene.calls(made, 'retrieve');
    await scene.settle(made, { status: 'successful', refunded_amount: 40_000 });
    await eventually(
      () => scene.calls(made, 'retrieve'),
      ({ length }) => length > before,
    );
    // Until the answer is recorded, the next inquiry is at the end of the lease.
    const [recorded] = await eventually(
      () =>
        scene.deposits.stack.sql<{ is_last: boolean }>(
          `SELECT next_inquiry_at IS NULL AS is_last FROM deposits
           WHERE deposit_number = $1 AND next_inquiry_at IS DISTINCT FROM asked_at + interval '30 seconds'`,
          [made.deposit_number],
        ),
      ({ length }) => length > 0,
    );
    expect(recorded).toEqual({ is_last: false });
    await scene.ask(made);
    const [refunded] = await eventually(
      () => scene.payments('--cases'),
      ({ length }) => length > 0,
    );
    expect(refunded).toMatchObject({ reason: 'TAKEN_BACK', deposit_number: made.deposit_number });
    await scene.deposits.operator.json('payment', 'keep', String(refunded?.id), '--reason', 'a test', '--yes');
  });

  /** A booked payment, and how Opn reports it from now on. */
  const reported = async () => {
    const made = await scene.made();
    await scene.settle(made);
    await scene.until(made, 'paid');
    const found = async (...options: string[]) =>
      (await scene.payments(...options)).find(({ deposit_number: number }) => number === made.deposit_number) as
        (PaymentView & { taken_back_amount: string | null }) | undefined;
    const id = String((await found())?.id);
    return {
      tell: (state: object) => scene.settle(made, { status: 'successful', ...state }),
      decide: (what: string) => scene.deposits.operator.json('payment', what, id, '--reason', 'a test', '--yes'),
      takenBack: (amount: string) => eventually(found, (payment) => payment?.taken_back_amount === amount),
      openCase: () => eventually(() => found('--cases'), Boolean),
      isOpen: async () => (await found('--cases')) !== undefined,
    };
  };

  it('is a case again if it is contradicted after it was kept', async () => {
    const { tell, decide, openCase } = await reported();
    await tell({ refunded_amount: 20_000 });
    await openCase();
    await decide('keep');
    await tell({ amount: 90_000, refunded_amount: 20_000 });
    expect(await openCase()).toMatchObject({ reason: 'CONTRADICTION', taken_back_amount: '200.00' });
    await decide('keep');
    await tell({ amount: 100_000, refunded_amount: 20_000 });
    expect(await scene.deposits.wrong()).toEqual([]);
  });

  it('stays closed while less goes back than was debited', async () => {
    const { tell, decide, openCase, takenBack, isOpen } = await reported();
    await tell({ amount: 90_000 });
    await openCase();
    await decide('debit');
    for (const part of [10_000, 20_000]) {
      await tell({ amount: 100_000, refunded_amount: part });
      await takenBack(baht(BigInt(part)));
      expect([await isOpen(), await scene.deposits.wrong()]).toEqual([false, []]);
    }
  });

  it('that went back before a person credits it is a case, or credits nobody', async () => {
    const [part, whole] = [await scene.unheard(), await scene.unheard()];
    await scene.settle(part, { status: 'successful', refunded_amount: 40_000 });
    await scene.settle(whole, { status: 'successful', refunded_amount: 100_000 });
    await scene.ask(part);
    await scene.ask(whole);
    const waiting = await scene.untilWaiting(2);
    const idOf = ({ deposit_number: number }: Deposit): string =>
      waiting.find(({ suggestions: [first] }) => first?.deposit_number === number)?.id ?? '';
    const credit = (deposit: Deposit): string[] => {
      const to = ['--deposit', deposit.deposit_number, '--reason', 'asked by phone'];
      return ['payment', 'credit', idOf(deposit), ...to];
    };
    await scene.deposits.operator.json(...credit(part));
    expect(await scene.payments('--cases')).toMatchObject([{ id: idOf(part), reason: 'TAKEN_BACK' }]);
    await scene.deposits.operator.json('payment', 'debit', idOf(part), '--reason', 'refunded', '--yes');
    expect(await scene.deposits.operator.refused(...credit(whole))).toMatch(/went back to the payer whole/);
    await scene.deposits.operator.json(
      'payment',
      'return',
      idOf(whole),
      '--reference',
      'rfnd_1',
      '--reason',
      'refunded',
    );
    expect(await scene.get(whole)).toMatchObject({ paid_amount: '0.00' });
    expect(await scene.deposits.wrong()).toEqual([]);
  });
});

describe('the report', () => {
  it('names what the list of Opn has otherwise', async () => {
    const today = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 10);
    const of = ['--from', today, '--to', today, '--channel', scene.code];
    const compared = () => scene.deposits.operator.run('report', 'deposits', ...of, '--compare', '--json');
    await scene.deposits.operator.json('channel', 'sync', scene.code);
    expect(await compared()).toMatchObject({ code: 0, stderr: '' });
    const made = await scene.unheard();
    await scene.settle(made);
    const { code, stderr } = await compared();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/charge chrg_test_\w+ of 1000\.00 is not here/)]);
    await scene.deposits.operator.json('channel', 'sync', scene.code);
    await scene.settle(made, { status: 'reversed' });
    await scene.until(made, 'paid');
    await scene.deposits.operator.json('channel', 'sync', scene.code);
    expect((await scene.payments('--cases')).map(({ reason }) => reason)).toEqual(['TAKEN_BACK']);
    expect(await compared()).toMatchObject({ code: 0 });
    for (const { id } of await scene.payments('--cases'))
      await scene.deposits.operator.json('payment', 'keep', id, '--reason', 'a test', '--yes');
  });
});
