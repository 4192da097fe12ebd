import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { DigiflazzBench, DigiflazzClient, KEYS, USERNAME, type Json } from './digiflazz-client.js';

const ENTRY = fileURLToPath(new URL('../../dist/tools/simulators/simulate.js', import.meta.url));

const bench = new DigiflazzBench();
const running = new Set<SimulatorProcess>();

/** A simulator in a process of its own. */
class SimulatorProcess {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown[]>;
  private readonly child: ChildProcess;

  constructor(env: Record<string, string>, args: string[] = []) {
    this.child = spawn(process.execPath, [ENTRY, 'digiflazz', ...args], {
      env: { SIMULATOR_PORT: '0', ...env },
    });
    this.closed = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    running.add(this);
  }

  async client(): Promise<DigiflazzClient> {
    await eventually(
      () => this.stdout,
      (text) => text.includes('\n') || this.child.exitCode !== null,
    );
    expect(this.stderr).toBe('');
    const { listening } = JSON.parse(this.stdout) as { listening: string };
    return new DigiflazzClient(listening.replace(/\/v1$/, ''));
  }

  async end(signal?: NodeJS.Signals): Promise<unknown> {
    running.delete(this);
    if (signal) this.child.kill(signal);
    const [exitCode, endedBy] = await this.closed;
    return exitCode ?? endedBy;
  }
}

afterEach(async () => {
  await Promise.all([...running].map((each) => each.end('SIGKILL')));
  await bench.clear();
});

describe('the process', () => {
  it('keeps all it knows when it is killed, and goes on where it was', async () => {
    const receiver = await new WebhookReceiver().listen();
    try {
      const SIMULATOR_DATA_DIR = bench.directory();
      const webhook = { url: receiver.url('/hook'), secret: 's' };
      const SIMULATOR_ACCOUNT = JSON.stringify({ deposit: 100_000, webhook });
      const SIMULATOR_READINGS = JSON.stringify({ create_event: 'not_sent' });
      const env = { SIMULATOR_DATA_DIR, SIMULATOR_ACCOUNT, SIMULATOR_READINGS };
      const first = new SimulatorProcess(env);
      const before = await first.client();
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
      // The process may die in the middle of a line.
      appendFileSync(join(SIMULATOR_DATA_DIR, 'digiflazz.jsonl'), '{"transactions":[{"trx_');

      const after = await new SimulatorProcess(env).client();
      expect(await after.sim('journal')).toEqual(journal);
      expect(await after.deposit()).toBe(70_000);
      expect((await after.priceList()).data).toMatchObject({ rc: '83' });
      expect((await after.transaction('A3')).data).toMatchObject({ rc: '68' });
      expect((await after.sim<Json[]>('purchases'))[0]).toEqual(purchases[0]);
      await after.aMinuteLater();
      expect((await after.transaction('A3')).data).toMatchObject({ rc: '00', price: 21_000 });
      expect(await after.purchase('A2')).toMatchObject({ status: 'Sukses', times_bought: 1 });
      const told = (): boolean => receiver.at('/hook').some(({ body }) => body.includes('"ref_id":"A2"'));
      await eventually(told, (hasCome) => hasCome);
    } finally {
      await receiver.close();
    }
  });

  it('has on disk what it was killed over before it answered', async () => {
    const SIMULATOR_DATA_DIR = bench.directory();
    const first = new SimulatorProcess({ SIMULATOR_DATA_DIR });
    const before = await first.client();
    await before.sim('rules', { match: {}, delay_ms: 600_000 });
    const lost = expect(before.transaction('A1')).rejects.toThrow();
    await eventually(
      () => before.sim<Json[]>('purchases'),
      (all) => all.length === 1,
    );
    await first.end('SIGKILL');
    await lost;
    const after = await new SimulatorProcess({ SIMULATOR_DATA_DIR }).client();
    expect(await after.purchase('A1')).toMatchObject({ times_bought: 1, price_debited: 20_000 });
    expect(await after.journal('A1')).toMatchObject([{ decision: 'bought', answer: null }]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends at %s', async (signal) => {
    const simulator = new SimulatorProcess({ SIMULATOR_DATA_DIR: bench.directory() });
    await (await simulator.client()).transaction('A1');
    expect(await simulator.end(signal)).toBe(0);
    expect(JSON.parse(simulator.stdout)).toEqual({
      listening: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      credentials: { username: USERNAME, key: KEYS.production, webhook_secret: 'hook-secret-1' },
    });
  });

  it('takes port and directory from its arguments, and steers below the base URL too', async () => {
    const state = bench.directory();
    const simulator = new SimulatorProcess({}, ['--port', '0', '--state', state]);
    const client = await simulator.client();
    await client.transaction('A1');
    const { listening } = JSON.parse(simulator.stdout) as { listening: string };
    const purchases = await fetch(`${listening}/_sim/purchases`);
    expect(await purchases.json()).toMatchObject([{ ref_id: 'A1', standing: 1 }]);
    await simulator.end('SIGTERM');
    expect(readdirSync(state)).toEqual(['digiflazz.jsonl']);
  });

  it.each([[['--colour', 'red']], [['seagull']]])('says how it is used when told %j', async (args) => {
    const simulator = new SimulatorProcess({}, args);
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain('usage: npm run simulate -- digiflazz [--port N] [--state DIR]');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'settings that are wrong',
      { SIMULATOR_PORT: 'x', SIMULATOR_ACCOUNT: '[]' },
      'SIMULATOR_ACCOUNT must be',
    ],
    [
      'an account that can’t be',
      { SIMULATOR_ACCOUNT: '{"deposit":"much"}' },
      'account.deposit must be an integer',
    ],
    ['a reading that is not there', { SIMULATOR_READINGS: '{"colour":1}' }, 'there is no reading colour'],
  ])('says what it has against %s', async (_case, env, message) => {
    const simulator = new SimulatorProcess({ SIMULATOR_DATA_DIR: bench.directory(), ...env });
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain(message);
    expect(simulator.stdout).toBe('');
  });

  it('says that its state can’t be read', async () => {
    const SIMULATOR_DATA_DIR = bench.directory();
    writeFileSync(join(SIMULATOR_DATA_DIR, 'digiflazz.jsonl'), 'this is no state\n');
    const simulator = new SimulatorProcess({ SIMULATOR_DATA_DIR });
    expect(await simulator.end()).toBe(1);
    expect(simulator.stderr).toContain(`cannot keep its state in ${SIMULATOR_DATA_DIR}: journal line 1`);
  });
});
