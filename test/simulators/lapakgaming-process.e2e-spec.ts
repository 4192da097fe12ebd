import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Json, LapakgamingBench, LapakgamingClient, SECRET_KEY } from './lapakgaming-client.js';
import { killSimulators, SimulatorProcess } from './simulator-process.js';

const bench = new LapakgamingBench();

const simulate = (env: Record<string, string>, args?: string[]): SimulatorProcess =>
  new SimulatorProcess('lapakgaming', env, args);

const clientOf = async (simulator: SimulatorProcess): Promise<LapakgamingClient> =>
  new LapakgamingClient(await simulator.listening());

afterEach(async () => {
  await killSimulators();
  await bench.clear();
});

describe('the process', () => {
  it('keeps its state when it is killed, and continues after a restart', async () => {
    const receiver = await new WebhookReceiver('callbacks of a vendor').listen();
    receiver.answer('/order', 200);
    try {
      const SIMULATOR_DATA_DIR = bench.directory();
      const env = {
        SIMULATOR_DATA_DIR,
        SIMULATOR_ACCOUNT: JSON.stringify({ balance: 100_000, callback_url: receiver.url('/order') }),
        SIMULATOR_READINGS: JSON.stringify({ status_case: 'lower', settle_after_ms: 60_000 }),
      };
      const first = simulate(env);
      const before = await clientOf(first);
      await before.sim('clock', { advance: '1d' });
      const { data } = await before.order('A1');
      await before.sim('rules', { match: {}, code: 'PRODUCT_EMPTY', times: 2 });
      await before.order('A2');
      await before.sim('account', { products: [{ code: 'ML78_8-S2', price: 17_000 }] });
      const purchases = await before.sim('purchases');
      const journal = await before.sim('journal');
      await first.end('SIGKILL');
      // The process may die while it writes a line.
      appendFileSync(join(SIMULATOR_DATA_DIR, 'lapakgaming.jsonl'), '{"transactions":[{"trx_');

      const after = await clientOf(simulate(env));
      expect(await after.sim('journal')).toEqual(journal);
      expect(await after.sim('purchases')).toEqual(purchases);
      expect(await after.balance()).toBe(100_000 - 16_560);
      expect(await after.order('A2')).toMatchObject({ code: 'PRODUCT_EMPTY' });
      expect((await after.order('A2')).data).toMatchObject({ total_price: 17_000 });
      expect((await after.order('A1')).data).toEqual(data);
      await after.sim('clock', { advance: '60s' });
      expect((await after.status('A1')).data).toMatchObject({ status: 'success' });
      await eventually(
        () => receiver.at('/order').some(({ body }) => body.includes('"reference_id":"A1"')),
        (hasCome) => hasCome,
      );
    } finally {
      await receiver.close();
    }
  });

  it('has an order on disk before it answers, even if it is killed then', async () => {
    const SIMULATOR_DATA_DIR = bench.directory();
    const first = simulate({ SIMULATOR_DATA_DIR });
    const before = await clientOf(first);
    await before.sim('rules', { match: {}, delay_ms: 600_000 });
    const lost = expect(before.order('A1')).rejects.toThrow();
    await eventually(
      () => before.sim<Json[]>('purchases'),
      (all) => all.length === 1,
    );
    await first.end('SIGKILL');
    await lost;
    const after = await clientOf(simulate({ SIMULATOR_DATA_DIR }));
    expect(await after.purchase('A1')).toMatchObject({ sends: 1, price_debited: 16_560 });
    expect(await after.journal('A1')).toMatchObject([{ decision: 'accepted', answer: null }]);
  });

  it('prints its base URL and key, and ends at SIGTERM', async () => {
    const state = bench.directory();
    const simulator = simulate({}, ['--port', '0', '--state', state]);
    await (await clientOf(simulator)).order('A1');
    expect(await simulator.end('SIGTERM')).toBe(0);
    expect(JSON.parse(simulator.stdout)).toEqual({
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      credentials: { secret_key: SECRET_KEY },
    });
    expect(readdirSync(state)).toEqual(['lapakgaming.jsonl']);
  });

  it('names the problem of an invalid account', async () => {
    const env = { SIMULATOR_DATA_DIR: bench.directory(), SIMULATOR_ACCOUNT: '{"balance":"much"}' };
    const simulator = simulate(env);
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain('account.balance must be an integer');
    expect(simulator.stdout).toBe('');
  });
});
