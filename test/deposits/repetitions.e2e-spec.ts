import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { eventually } from '../support/eventually.js';
import { Client, type Answer } from '../support/http.js';
import { whileLocked } from '../support/locks.js';
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
  const [merchant, channel] = [await stack.merchant('0.00'), await scene.channel()];
  const other = await stack.startApi();
  try {
    await other.get(SchemaService).whenReady();
    let answered = 0;
    const sent: Promise<Answer<DepositView>>[] = [];
    const send = (url: string): void => {
      const body = { reference_id: 'repeated', amount: '1000.00', channel };
      const client = new Client(url, merchant.key);
      sent.push(client.post<DepositView>('/v1/deposits', body).finally(() => answered++));
    };
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                       AND query LIKE '%hashtext(''deposits'')%'`;
    const untilWaiting = (requests: number): Promise<unknown> =>
      eventually(
        () => stack.sql(waiting),
        ({ length }) => length + answered >= requests,
      );
    await whileLocked(stack, `SELECT pg_advisory_xact_lock(hashtext('deposits'), ${merchant.id})`, async () => {
      send(stack.url);
      await untilWaiting(1);
      await stack.sql(`UPDATE deposit_channels SET ${change} WHERE code = $1`, [channel]);
      // One waits in the process that makes the deposit, the other one in the database.
      send(stack.url);
      send(stack.urlOf(other));
      await untilWaiting(2);
    });
    const answers = await Promise.all(sent);
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
