import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { Client, type Answer } from '../support/http.js';
import { inTurn } from '../support/locks.js';
import { closeWithRightBooks, DepositsScene, type DepositView } from './scene.js';

let scene: DepositsScene;

beforeAll(async () => {
  scene = await DepositsScene.start();
});

afterAll(() => closeWithRightBooks(scene));

it.each([
  ['paused', `pause_reason = 'credentials', probe_at = now() + interval '1 hour'`],
  ['made inactive', `status = 'inactive'`],
])('a repetition that begins after the channel was %s gets the deposit that is being made', async (_, change) => {
  const { stack } = scene;
  const other = await stack.startApi();
  try {
    await other.get(SchemaService).whenReady();
    const { first, second } = await inTurn(stack, async () => {
      const [merchant, channel] = [await stack.merchant('0.00'), await scene.channel()];
      const send = (url: string): Promise<Answer<DepositView>> => {
        const body = { reference_id: 'repeated', amount: '1000.00', channel };
        return new Client(url, merchant.key).post<DepositView>('/v1/deposits', body);
      };
      return {
        subject: channel,
        lock: `SELECT pg_advisory_xact_lock(hashtext('deposits'), ${merchant.id})`,
        first: () => send(stack.url),
        second: async () => {
          await stack.sql(`UPDATE deposit_channels SET ${change} WHERE code = $1`, [channel]);
          // One waits in the process that makes the deposit, the other one in the database.
          return Promise.all([send(stack.url), send(stack.urlOf(other))]);
        },
      };
    });
    const answers = [first, ...second];
    expect(answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [200, null],
      [200, 'true'],
      [200, 'true'],
    ]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  } finally {
    await other.close();
  }
});
