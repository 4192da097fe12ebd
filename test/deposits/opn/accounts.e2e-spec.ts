import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PUBLIC_KEY, SECRET_KEY } from '../../simulators/opn-client.js';
import { unique } from '../../support/stack.js';
import { closeWithRightBooks } from '../scene.js';
import { OpnScene } from './scene.js';

let scene: OpnScene;

beforeAll(async () => {
  scene = await OpnScene.start();
});

afterAll(() => closeWithRightBooks(scene.deposits, scene));

it('payments of deposits of another channel of the account wait, and name the deposit', async () => {
  const made = await scene.made();
  await scene.settle(made);
  await scene.until(made, 'paid');
  const other = unique('opn').toLowerCase();
  const keys = [`public_key=${PUBLIC_KEY}_rolled`, `secret_key=${SECRET_KEY}`];
  const of = ['--code', other, '--adapter', 'opn', '--base-url', scene.opn.url, '--inactive'];
  const { operator } = scene.deposits;
  await operator.json('channel', 'set', ...of, ...keys.flatMap((each) => ['--credential', each]));
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
