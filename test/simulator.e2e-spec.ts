import { afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ENTRY =
  process.env.TEST_SIMULATOR_ENTRY ?? fileURLToPath(new URL('../dist/tools/simulators/http/main.js', import.meta.url));

type Json = Record<string, unknown>;
interface Answer {
  status: number;
  body: Json;
}

/** A simulator in its own process. */
class Simulator {
  stdout = '';
  stderr = '';
  authorization = '';

  private readonly closed: Promise<unknown[]>;

  private constructor(private readonly process: ChildProcess) {
    this.closed = once(process, 'close');
    process.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    process.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  static spawn(env: Record<string, string>): Simulator {
    const simulator = new Simulator(
      spawn(process.execPath, [ENTRY], { env: { PATH: process.env.PATH, SIMULATOR_PORT: '0', ...env } }),
    );
    running.add(simulator);
    return simulator;
  }

  static async start(env: Record<string, string> = {}): Promise<Simulator> {
    const simulator = Simulator.spawn({ SIMULATOR_DATA_DIR: env.SIMULATOR_DATA_DIR ?? dataDir(), ...env });
    await until(() => simulator.stdout.includes('\n') || simulator.process.exitCode !== null);
    expect(simulator.stderr).toBe('');
    return simulator;
  }

  get url(): string {
    return (JSON.parse(this.stdout) as { listening: string }).listening;
  }

  /** Resolves with the exit code, or the signal that ended the process, once all its output has arrived. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    running.delete(this);
    if (signal !== undefined) this.process.kill(signal);
    const [exitCode, endedBy] = (await this.closed) as [number | null, string | null];
    return exitCode ?? endedBy;
  }

  post(reference: string, userId: string, more: Json = {}, signal?: AbortSignal): Promise<Answer> {
    return this.send(JSON.stringify({ reference, sku: 'ML-86', user_id: userId, ...more }), signal);
  }

  send(body: string | Buffer, signal: AbortSignal | null = null): Promise<Answer> {
    return this.request('/v1/top-ups', { method: 'POST', body, signal });
  }

  get(path: string, init: RequestInit = {}): Promise<Answer> {
    return this.request(path, init);
  }

  inquire(reference: string): Promise<Answer> {
    return this.get(`/v1/top-ups/${encodeURIComponent(reference)}`);
  }

  async purchases(): Promise<Json[]> {
    return (await this.get('/purchases')).body as unknown as Json[];
  }

  private async request(path: string, init: RequestInit): Promise<Answer> {
    const headers = { authorization: this.authorization };
    const response = await fetch(this.url + path, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Json };
  }
}

const running = new Set<Simulator>();
const dataDirs: string[] = [];

function dataDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'simulator-'));
  dataDirs.push(dir);
  return dir;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(10);
}

afterEach(async () => {
  await Promise.all([...running].map((simulator) => simulator.end('SIGKILL')));
  for (const dir of dataDirs.splice(0)) rmSync(dir, { recursive: true });
});

const SENTENCE = expect.stringMatching(/^[A-Za-z].+\.$/);
const succeeded = (reference: string): Answer => {
  const body = { reference, status: 'succeeded', supplier_reference: expect.stringMatching(/^sim_/) };
  return { status: 200, body };
};
const failed = (reference: string, code: string): Answer => {
  return {
    status: 200,
    body: { reference, status: 'failed', failure_code: code, failure_message: SENTENCE },
  };
};
const processing = (status: number, reference: string): Answer => {
  return { status, body: { reference, status: 'processing' } };
};
const refused = (status: number, code: string): Answer => ({ status, body: { code, message: SENTENCE } });

describe('the protocol', () => {
  it('buys once, even if it gets a request several times or simultaneously', async () => {
    const simulator = await Simulator.start();
    const reference = 'ord_Np3O7rcsqNmBTwD7.1.1';
    const requests = Array.from({ length: 50 }, () => simulator.post(reference, 'player-1'));
    const answers = await Promise.all(requests);

    expect(answers[0]).toEqual(succeeded(reference));
    for (const other of answers) expect(other).toEqual(answers[0]);
    expect(await simulator.inquire(reference)).toEqual(answers[0]);
    expect(await simulator.purchases()).toEqual([
      {
        reference,
        sku: 'ML-86',
        user_id: 'player-1',
        server_id: null,
        character_id: null,
        outcome: 'succeeded',
        failure_code: null,
        supplier_reference: answers[0]?.body.supplier_reference,
        received: 50,
      },
    ]);
    const balance = { balance: '999990.00', currency: 'THB' };
    expect(await simulator.get('/v1/balance')).toEqual({ status: 200, body: balance });
  });

  it('fails with the code in the user id, in upper or lower case', async () => {
    const simulator = await Simulator.start();
    expect(await simulator.post('a.1.1', 'sim-fail-limit_EXCEEDED')).toEqual(failed('a.1.1', 'LIMIT_EXCEEDED'));
    expect(await simulator.inquire('a.1.1')).toEqual(failed('a.1.1', 'LIMIT_EXCEEDED'));
    const recorded = { outcome: 'failed', failure_code: 'LIMIT_EXCEEDED', supplier_reference: null };
    expect(await simulator.purchases()).toMatchObject([recorded]);
    expect((await simulator.get('/v1/balance')).body.balance).toBe('1000000.00');
  });

  it.each([
    ['sim-drop-succeed', 'sim-500-succeed', succeeded],
    ['sim-drop-fail', 'sim-500-fail', (reference: string) => failed(reference, 'OUT_OF_STOCK')],
  ])('%s and %s need an inquiry for the result', async (dropping, failing, result) => {
    const simulator = await Simulator.start();
    await expect(simulator.post('a.1.1', dropping)).rejects.toThrow();
    expect(await simulator.post('a.1.2', failing)).toEqual(refused(500, 'INTERNAL_ERROR'));
    expect(await simulator.inquire('a.1.1')).toEqual(result('a.1.1'));
    expect(await simulator.inquire('a.1.2')).toEqual(result('a.1.2'));
    expect(await simulator.post('a.1.1', dropping)).toEqual(result('a.1.1'));
    expect(await simulator.post('a.1.2', failing)).toEqual(result('a.1.2'));
    expect(await simulator.purchases()).toMatchObject([{ received: 2 }, { received: 2 }]);
  });

  it('answers an unreadable text after a purchase', async () => {
    const simulator = await Simulator.start();
    await expect(simulator.post('a.1.1', 'sim-garbage-succeed')).rejects.toThrow('is not valid JSON');
    expect(await simulator.inquire('a.1.1')).toEqual(succeeded('a.1.1'));
  });

  it('loses the requests of some players, every time', async () => {
    const simulator = await Simulator.start();
    await expect(simulator.post('a.1.1', 'sim-lost')).rejects.toThrow();
    await expect(simulator.post('a.1.1', 'sim-lost')).rejects.toThrow();
    expect(await simulator.inquire('a.1.1')).toEqual(refused(404, 'NOT_FOUND'));
    expect(await simulator.purchases()).toEqual([]);
  });

  it('sells only the first units of an order, before and after a restart', async () => {
    const SIMULATOR_DATA_DIR = dataDir();
    const first = await Simulator.start({ SIMULATOR_DATA_DIR });
    const units = [1, 2, 3].map((unit) => first.post(`a.1.${unit}`, 'sim-partial-4'));
    const before = await Promise.all([...units, first.post('b.1.1', 'sim-partial-4')]);
    await first.end('SIGKILL');

    const second = await Simulator.start({ SIMULATOR_DATA_DIR });
    const after = await Promise.all([1, 2, 3].map((unit) => second.post(`a.2.${unit}`, 'sim-partial-4')));
    const statuses = [...before, ...after].map(({ body }) => body.status);
    expect(statuses.filter((status) => status === 'succeeded')).toHaveLength(5);
    expect(after.filter(({ body }) => body.failure_code === 'OUT_OF_STOCK')).toHaveLength(2);
    for (const { body } of after) expect((await second.inquire(String(body.reference))).body).toEqual(body);
  });

  it('answers late, is processing until then, and buys even if the client has gone', async () => {
    const simulator = await Simulator.start();
    const started = Date.now();
    const patient = simulator.post('a.1.1', 'sim-slow-1000');
    const leaving = new AbortController();
    // A slow machine may have its answer before the client goes: then another client goes earlier.
    let left = 0;
    let isAnswered = true;
    while (isAnswered) {
      const gone = new AbortController();
      const name = `b.${++left}.1`;
      const impatient = simulator.post(name, 'sim-slow-1000', {}, gone.signal).then(
        () => true,
        () => false,
      );
      await until(async () => (await simulator.purchases()).some(({ reference }) => reference === name));
      gone.abort();
      isAnswered = await impatient;
    }
    // As slow as the others, but so that it is not over on a slow machine before the test has looked.
    const unanswered = expect(simulator.post('a.1.3', 'sim-slow-3600000', {}, leaving.signal)).rejects.toThrow();
    await until(async () => (await simulator.purchases()).some(({ reference }) => reference === 'a.1.3'));
    leaving.abort();
    await unanswered;

    expect(await simulator.inquire('a.1.3')).toEqual(processing(200, 'a.1.3'));
    expect(await simulator.post('a.1.3', 'sim-slow-3600000')).toEqual(processing(202, 'a.1.3'));
    const waiting = { outcome: 'processing', failure_code: null, supplier_reference: null };
    expect((await simulator.purchases()).find(({ reference }) => reference === 'a.1.3')).toMatchObject(waiting);
    expect(await patient).toEqual(succeeded('a.1.1'));
    expect(Date.now() - started).toBeGreaterThanOrEqual(1000);
    const balance = (1_000_000 - 10 * (1 + left)).toFixed(2);
    await until(async () => (await simulator.get('/v1/balance')).body.balance === balance);
    expect(await simulator.inquire(`b.${left}.1`)).toEqual(succeeded(`b.${left}.1`));
  });

  it('is processing until the deadline, also after it was killed meanwhile', async () => {
    const SIMULATOR_DATA_DIR = dataDir();
    const first = await Simulator.start({ SIMULATOR_DATA_DIR });
    expect(await first.post('a.1.1', 'sim-processing-0')).toEqual(processing(202, 'a.1.1'));
    expect(await first.inquire('a.1.1')).toEqual(succeeded('a.1.1'));
    expect(await first.post('a.1.2', 'sim-processing-500')).toEqual(processing(202, 'a.1.2'));
    const deadline = Date.now() + 500;
    expect(await first.post('a.1.3', 'sim-processing-60000000000')).toEqual(processing(202, 'a.1.3'));
    await first.end('SIGKILL');
    await until(() => Date.now() >= deadline);

    const second = await Simulator.start({ SIMULATOR_DATA_DIR });
    expect((await second.get('/v1/balance')).body.balance).toBe('999980.00');
    expect(await second.inquire('a.1.2')).toEqual(succeeded('a.1.2'));
    expect(await second.inquire('a.1.3')).toEqual(processing(200, 'a.1.3'));
  });

  it('refuses unknown products, and records nothing about them', async () => {
    const simulator = await Simulator.start();
    const sku = 'sim-unknown-86';
    expect(await simulator.post('a.1.1', 'player-1', { sku })).toEqual(refused(404, 'ITEM_NOT_FOUND'));
    expect(await simulator.inquire('a.1.1')).toEqual(refused(404, 'NOT_FOUND'));
    expect(await simulator.purchases()).toEqual([]);
  });

  it('delivers a code for a card, the same in every answer', async () => {
    const simulator = await Simulator.start();
    const { body } = await simulator.post('card', 'anybody', { sku: 'SIM-CODE-100' });
    expect(body.deliveries).toMatchObject([{ code: expect.stringMatching(/^(\w{4}-?){4}$/) }]);
    expect((await simulator.inquire('card')).body).toEqual(body);
  });

  it('refuses a reference that was used with other content', async () => {
    const simulator = await Simulator.start();
    await simulator.post('a.1.1', 'player-1', { server_id: null });
    const others = [{ sku: 'ML-172' }, { user_id: 'player-2' }, { server_id: '1' }, { character_id: '1' }];
    for (const other of others) {
      expect(await simulator.post('a.1.1', 'player-1', other)).toEqual(refused(422, 'REFERENCE_MISMATCH'));
    }
    expect(await simulator.post('a.1.1', 'player-1')).toEqual(succeeded('a.1.1'));
    expect(await simulator.purchases()).toMatchObject([{ user_id: 'player-1', server_id: null, received: 6 }]);
  });

  it('refuses invalid requests, and records nothing about them', async () => {
    const simulator = await Simulator.start();
    for (const body of ['', '{"a', Buffer.from([0x22, 0xff, 0x22]), `"${'x'.repeat(70_000)}"`, '{}']) {
      expect(await simulator.send(body)).toEqual(refused(400, 'BAD_REQUEST'));
    }
    expect(await simulator.purchases()).toEqual([]);
  });

  it('distinguishes an unknown route, a wrong method and an unknown reference', async () => {
    const simulator = await Simulator.start();
    expect(await simulator.get('/v2/top-ups/a.1.1')).toEqual(refused(404, 'ROUTE_NOT_FOUND'));
    const removed = await simulator.get('/v1/top-ups', { method: 'DELETE' });
    expect(removed).toEqual(refused(405, 'METHOD_NOT_ALLOWED'));
    expect(await simulator.get('/v1/top-ups/%ff')).toEqual(refused(400, 'BAD_REQUEST'));
  });

  it('requires the token if one is set, except for the purchases', async () => {
    const simulator = await Simulator.start({ SIMULATOR_TOKEN: 'sesame' });
    for (const authorization of ['', 'Bearer other', 'Basic sesame']) {
      simulator.authorization = authorization;
      expect(await simulator.post('a.1.1', 'player-1')).toEqual(refused(401, 'UNAUTHORIZED'));
      expect(await simulator.inquire('a.1.1')).toEqual(refused(401, 'UNAUTHORIZED'));
      expect(await simulator.purchases()).toEqual([]);
    }
    simulator.authorization = 'Bearer sesame';
    expect(await simulator.post('a.1.1', 'player-1')).toEqual(succeeded('a.1.1'));
    expect((await simulator.get('/v1/balance')).status).toBe(200);
  });
});

describe('the process', () => {
  it('prints one line, and stores purchases and the number of their requests', async () => {
    const SIMULATOR_DATA_DIR = dataDir();
    const first = await Simulator.start({ SIMULATOR_DATA_DIR });
    await first.post('ünit/1?.1.1', 'player-1');
    await first.post('ünit/1?.1.1', 'player-1');
    await first.post('b.1.1', 'sim-fail-out_of_stock');
    const purchases = await first.purchases();
    await first.end('SIGKILL');
    expect(first.stdout).toMatch(/^\{"listening":"http:\/\/127\.0\.0\.1:\d+"\}\n$/);

    // The process may die while it writes a line.
    appendFileSync(join(SIMULATOR_DATA_DIR, 'purchases.jsonl'), '{"event":"recorded","refer');
    for (const received of [2, 3]) {
      const next = await Simulator.start({ SIMULATOR_DATA_DIR });
      expect(await next.purchases()).toEqual([{ ...purchases[0], received }, purchases[1]]);
      expect((await next.get('/v1/balance')).body.balance).toBe('999990.00');
      await next.post('ünit/1?.1.1', 'player-1');
      expect((await next.inquire('ünit/1?.1.1')).status).toBe(200);
      expect(await next.end('SIGTERM')).toBe(0);
    }
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends after %s, even during a slow top-up', async (signal) => {
    const simulator = await Simulator.start();
    const cutOff = expect(simulator.post('a.1.1', 'sim-slow-60000')).rejects.toThrow();
    const answered = simulator.post('a.1.2', 'sim-slow-500');
    await until(async () => (await simulator.purchases()).length === 2);

    const ended = simulator.end(signal);
    expect((await answered).status).toBe(200);
    expect(await ended).toBe(0);
    await cutOff;
    expect(simulator.stderr).toBe('');
  });

  it('names wrong settings', async () => {
    const simulator = Simulator.spawn({ SIMULATOR_PORT: '70000', SIMULATOR_DATA_DIR: dataDir() });
    expect(await simulator.end()).toBe(1);
    expect(simulator.stdout).toBe('');
    expect(simulator.stderr).toContain('SIMULATOR_PORT must be');
  });

  it('reports that the port is taken, and does not change the journal', async () => {
    const SIMULATOR_DATA_DIR = dataDir();
    const first = await Simulator.start({ SIMULATOR_DATA_DIR });
    const second = Simulator.spawn({ SIMULATOR_DATA_DIR, SIMULATOR_PORT: new URL(first.url).port });
    expect(await second.end()).toBe(1);
    expect(second.stderr).toMatch(/cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/);
    expect(second.stderr).toContain('set SIMULATOR_PORT to a free port');
    expect((await first.post('a.1.1', 'player-1')).status).toBe(200);
  });

  it('reports that the data directory or the journal is unusable', async () => {
    const SIMULATOR_DATA_DIR = dataDir();
    const journal = join(SIMULATOR_DATA_DIR, 'purchases.jsonl');
    writeFileSync(journal, 'this is not a journal\n');
    for (const [unusable, reason] of [
      [SIMULATOR_DATA_DIR, 'journal line 1'],
      [journal, 'EEXIST'],
      [join(journal, 'below'), 'ENOTDIR'],
    ] as const) {
      const simulator = Simulator.spawn({ SIMULATOR_DATA_DIR: unusable });
      expect(await simulator.end()).toBe(1);
      expect(simulator.stdout).toBe('');
      expect(simulator.stderr).toContain(`cannot keep purchases in ${unusable}: ${reason}`);
    }
  });
});
