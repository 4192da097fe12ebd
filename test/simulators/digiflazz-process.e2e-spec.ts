import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { DigiflazzBench, DigiflazzClient, KEYS, USERNAME, type Json } from './digiflazz-client.js';
import { killSimulators, SimulatorProcess } from './simulator-process.js';

const bench = new DigiflazzBench();

const simulate = (env: Record<string, string>, args?: string[]): SimulatorProcess =>
  new SimulatorProcess('digiflazz', env, args);

const clientOf = async (simulator: SimulatorProcess): Promise<DigiflazzClient> =>
  new DigiflazzClient((await simulator.listening()).replace(/\/v1$/, ''));

afterEach(async () => {
  await killSimulators();
  await bench.clear();
});

describe('the process', () => {
  it('keeps its state when it is killed, and continues after a restart', async () => {
    const receiver = await new WebhookReceiver('callbacks of a vendor').listen();
    try {
      const SIMULATOR_DATA_DIR = bench.directory();
      const webhook = { url: receiver.url('/hook'), secret: 's' };
      const SIMULATOR_ACCOUNT = JSON.stringify({ deposit: 100_000, webhook });
      const SIMULATOR_READINGS = JSON.stringify({ create_event: 'not_sent' });
      const env = { SIMULATOR_DATA_DIR, SIMULATOR_ACCOUNT, SIMULATOR_READINGS };
      const first = simulate(env);
      const before = await clientOf(first);
      await before.sim('clock', { advance: '1d' });
      await before.transaction('A1');
      await before.transaction('A2', { buyer_sku_code: 'pending' });
      await before.sim('rules', { match: {}, rc: '68', times: 2 });
      await before.transaction('A3');
      await before.sim('account', { products: [{ buyer_sku_code: 'ml86', price: 21_000 }] });
      await before.priceList();
      const purchases = await before.sim<Json[]>('purchases');
      const journal = await before.sim<Json[]>('journal');
      await first.end('SIGKILL');
      // The process may die while it writes a line.
      appendFileSync(join(SIMULATOR_DATA_DIR, 'digiflazz.jsonl'), '{"transactions":[{"trx_');

      const after = await clientOf(simulate(env));
      expect(await after.sim('journal')).toEqual(journal);
      expect(await after.deposit()).toBe(70_000);
      expect((await after.priceList()).data).toMatchObject({ rc: '83' });
      expect((await after.transaction('A3')).data).toMatchObject({ rc: '68' });
      expect((await after.sim<Json[]>('purchases'))[0]).toEqual(purchases[0]);
      await after.aMinuteLater();
      expect((await after.transaction('A3')).data).toMatchObject({ rc: '00', price: 21_000 });
      expect(await after.purchase('A2')).toMatchObject({ status: 'Sukses', times_bought: 1 });
      const hasArrived = (): boolean => receiver.at('/hook').some(({ body }) => body.includes('"ref_id":"A2"'));
      await eventually(hasArrived, (hasCome) => hasCome);
    } finally {
      await receiver.close();
    }
  });

  it('has a transaction on disk before it answers, even if it is killed then', async () => {
    const SIMULATOR_DATA_DIR = bench.directory();
    const first = simulate({ SIMULATOR_DATA_DIR });
    const before = await clientOf(first);
    await before.sim('rules', { match: {}, delay_ms: 600_000 });
    const lost = expect(before.transaction('A1')).rejects.toThrow();
    await eventually(
      () => before.sim<Json[]>('purchases'),
      (all) => all.length === 1,
    );
    await first.end('SIGKILL');
    await lost;
    const after = await clientOf(simulate({ SIMULATOR_DATA_DIR }));
    expect(await after.purchase('A1')).toMatchObject({ times_bought: 1, price_debited: 20_000 });
    expect(await after.journal('A1')).toMatchObject([{ decision: 'bought', answer: null }]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends at %s', async (signal) => {
    const simulator = simulate({ SIMULATOR_DATA_DIR: bench.directory() });
    await (await clientOf(simulator)).transaction('A1');
    expect(await simulator.end(signal)).toBe(0);
    expect(JSON.parse(simulator.stdout)).toEqual({
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      credentials: { username: USERNAME, key: KEYS.production, webhook_secret: 'hook-secret-1' },
    });
  });

  it('takes port and directory from its arguments, and is also controlled below the base URL', async () => {
    const state = bench.directory();
    const simulator = simulate({}, ['--port', '0', '--state', state]);
    const client = await clientOf(simulator);
    await client.transaction('A1');
    const { listening } = JSON.parse(simulator.stdout) as { listening: string };
    const purchases = await fetch(`${listening}/_sim/purchases`);
    expect(await purchases.json()).toMatchObject([{ ref_id: 'A1', standing: 1 }]);
    await simulator.end('SIGTERM');
    expect(readdirSync(state)).toEqual(['digiflazz.jsonl']);
  });

  it.each([[['--colour', 'red']], [['seagull']]])('prints its usage for the arguments %j', async (args) => {
    const simulator = simulate({}, args);
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toMatch(/^simulator: .*usage: npm run simulate -- \S+ \[--port N\] \[--state DIR\]/s);
  });

  it.each<[string, Record<string, string>, string]>([
    ['settings that are wrong', { SIMULATOR_PORT: 'x', SIMULATOR_ACCOUNT: '[]' }, 'SIMULATOR_ACCOUNT must be'],
    ['an account that can’t be', { SIMULATOR_ACCOUNT: '{"deposit":"much"}' }, 'account.deposit must be an integer'],
    ['a reading that is not there', { SIMULATOR_READINGS: '{"colour":1}' }, 'there is no reading colour'],
  ])('names the problem of %s', async (_case, env, message) => {
    const simulator = simulate({ SIMULATOR_DATA_DIR: bench.directory(), ...env });
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain(message);
    expect(simulator.stdout).toBe('');
  });

  it('reports that its state can’t be read', async () => {
    const SIMULATOR_DATA_DIR = bench.directory();
    writeFileSync(join(SIMULATOR_DATA_DIR, 'digiflazz.jsonl'), 'this is no state\n');
    const simulator = simulate({ SIMULATOR_DATA_DIR });
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain(`cannot keep its state in ${SIMULATOR_DATA_DIR}: journal line 1`);
  });
});
