import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChannelsService } from '../../../src/deposits/channels.service.js';
import {
  IncomingChargesService,
  type ChargeCounts,
  type ReceivedReading,
} from '../../../src/deposits/incoming-charges.service.js';
import { VendorListsService } from '../../../src/deposits/vendor-lists.service.js';
import { PUBLIC_KEY, SECRET_KEY } from '../../simulators/opn-client.js';
import { eventually } from '../../support/eventually.js';
import { unique } from '../../support/stack.js';
import { closeWithRightBooks, satang } from '../scene.js';
import { OpnScene, type Deposit } from './scene.js';

let scene: OpnScene;
/** A second channel of the account. */
let other: string;

beforeAll(async () => {
  scene = await OpnScene.start();
  other = unique('opn').toLowerCase();
  const keys = [`public_key=${PUBLIC_KEY}_rolled`, `secret_key=${SECRET_KEY}`];
  const of = ['--code', other, '--adapter', 'opn', '--base-url', scene.opn.url, '--inactive'];
  await scene.deposits.operator.json('channel', 'set', ...of, ...keys.flatMap((each) => ['--credential', each]));
  await scene.postponeList(other);
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

it('payments of deposits of another channel of the account wait, and name the deposit', async () => {
  const made = await scene.made();
  await scene.settle(made);
  await scene.until(made, 'paid');
  const { operator } = scene.deposits;
  await operator.json('channel', 'sync', other);
  const [listed, ...more] = await scene.deposits.payments(other);
  expect(listed).toMatchObject({ state: 'waiting', reason: 'DOUBLE' });
  expect(listed?.suggestions).toMatchObject([{ deposit_number: made.deposit_number }]);
  expect(more).toEqual([]);
  const credit = ['payment', 'credit', String(listed?.id), '--deposit', made.deposit_number, '--reason', 'a test'];
  expect(await operator.refused(...credit)).toMatch(
    /is of another channel, which books this payment itself: ignore this one once the deposit is paid/,
  );
});

it('payments that only the other channel has read pay their deposits once their own channel reads them', async () => {
  const made = await scene.unheard();
  await scene.settle(made);
  const { operator } = scene.deposits;
  const before = satang(await scene.available());
  await operator.json('channel', 'sync', other);
  const waiting = await scene.deposits.payments(other, '--waiting');
  const listed = waiting.find(({ suggestions: [first] }) => first?.deposit_number === made.deposit_number);
  expect([listed?.reason, (await scene.get(made)).status]).toEqual(['DOUBLE', 'pending']);
  await operator.json('channel', 'sync', scene.code);
  await operator.json('payment', 'ignore', String(listed?.id), '--reason', 'its deposit is paid');
  expect(await scene.get(made)).toMatchObject({ status: 'paid', paid_amount: '1000.00' });
  expect(satang(await scene.available())).toBe(before + 100_000n);
});

it('the list of a channel is read once at a time, also at night and for the report', async () => {
  const { stack, operator } = scene.deposits;
  const set = (members: string): Promise<unknown> =>
    stack.sql(`UPDATE deposit_channels SET ${members} WHERE code = $1`, [scene.code]);
  const lists = async (): Promise<number> =>
    (await scene.opn.sim<{ call: string }[]>('journal')).filter(({ call }) => call === 'list').length;
  const before = await lists();
  await set(`list_read_until = now() + interval '2 minutes', list_due_at = now()`);
  await stack.api.get(VendorListsService).readDue(new AbortController().signal);
  const of = ['--from', '2026-01-15', '--to', '2026-01-15', '--channel', scene.code];
  expect(await operator.refused('report', 'deposits', ...of, '--compare')).toMatch(/is being read: wait/);
  expect(await lists()).toBe(before);
  await set('list_read_until = NULL');
  await operator.json('report', 'deposits', ...of, '--compare');
  const read = await lists();
  expect(read).toBeGreaterThan(before);
  // The report's reading has ended, so the next one begins.
  await set('list_due_at = now()');
  await stack.api.get(VendorListsService).readDue(new AbortController().signal);
  await eventually(lists, (count) => count > read);
  await eventually(
    () => stack.sql(`SELECT FROM deposit_channels WHERE code = $1 AND list_read_until IS NULL`, [scene.code]),
    ({ length }) => length === 1,
  );
});

/** Records answers about the charge of a deposit in one transaction: the amount that went back, or `reversed`. */
async function record({ deposit_number }: Deposit, ...answers: (bigint | 'reversed')[]): Promise<ChargeCounts> {
  const { stack } = scene.deposits;
  const query = `SELECT channel_payment_id AS charge FROM deposits WHERE deposit_number = $1`;
  const [found] = await stack.sql<{ charge: string }>(query, [deposit_number]);
  const paymentId = String(found?.charge);
  const paid = { chargeRef: paymentId, amount: 100_000n, currency: 'THB', paidAt: new Date(), references: [] };
  const readings = answers.map((answer): ReceivedReading => {
    const about = { paymentId, readAtMs: performance.now() };
    if (answer === 'reversed') return { ...about, reading: { kind: 'reversed' } };
    return { ...about, reading: { kind: 'paid', payment: { ...paid, merchantId: null, refunded: answer } } };
  });
  const connected = await stack.api.get(ChannelsService).connectByCode(scene.code);
  return stack.api.get(IncomingChargesService).record(connected, readings);
}

it.each([
  ['first', [70_000n, 40_000n]],
  ['last', [40_000n, 70_000n]],
])('several answers about one charge take back the largest amount, which comes %s', async (_, amounts) => {
  const made = await scene.unheard();
  expect(await record(made, 0n)).toMatchObject({ new: 1, booked: 1 });
  expect(await record(made, ...amounts)).toMatchObject({ new: 0, takenBack: 1 });
  const [found] = await scene.payments('--cases');
  const back = { reason: 'TAKEN_BACK', taken_back_amount: '700.00' };
  expect(found).toMatchObject({ deposit_number: made.deposit_number, ...back });
  await scene.deposits.operator.json('payment', 'keep', String(found?.id), '--reason', 'a test');
});

it('a new charge that answers report as paid and as reversed credits nobody', async () => {
  const made = await scene.unheard();
  expect(await record(made, 0n, 'reversed')).toEqual({ new: 1, booked: 0, waiting: 1, takenBack: 1 });
  expect(await scene.get(made)).toMatchObject({ paid_amount: '0.00' });
  const waiting = await scene.payments('--waiting');
  const found = waiting.find(({ suggestions: [first] }) => first?.deposit_number === made.deposit_number);
  expect(found).toMatchObject({ reason: 'TAKEN_BACK', taken_back_amount: '1000.00' });
  await scene.deposits.operator.json('payment', 'ignore', String(found?.id), '--reason', 'a test');
});

it('keys that can’t be opened are replaced by live keys only, because they may be live ones', async () => {
  const { stack, operator } = scene.deposits;
  await scene.made();
  const [stored] = await stack.sql<{ credentials_sealed: Buffer; credential_names: string[] }>(
    `SELECT credentials_sealed, credential_names FROM deposit_channels WHERE code = $1`,
    [scene.code],
  );
  const store = (sealed?: Buffer, names?: string[]): Promise<unknown> =>
    stack.sql(`UPDATE deposit_channels SET credentials_sealed = $2, credential_names = $3 WHERE code = $1`, [
      scene.code,
      sealed,
      names,
    ]);
  const setting = (mode: 'test_' | ''): string[] => {
    const of = ['channel', 'set', '--code', scene.code, '--adapter', 'opn', '--remove-credential', 'webhook_secret'];
    const keys = [`public_key=pkey_${mode}other`, `secret_key=skey_${mode}other`];
    return [...of, ...keys.flatMap((each) => ['--credential', each])];
  };
  await store(Buffer.of(0), stored?.credential_names);
  expect(await operator.refused(...setting('test_'))).toMatch(/may be live keys, and these are of the test mode/);
  await operator.json(...setting(''));
  await store(stored?.credentials_sealed, stored?.credential_names);
});
