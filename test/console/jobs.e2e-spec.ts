import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { inSnapshot, withLongTimeout } from '../../src/database/snapshot.js';
import { JobDatabase } from '../../src/operators/jobs/job-database.js';
import { JobRunner } from '../../src/operators/jobs/job-runner.js';
import type { JobWork } from '../../src/operators/jobs/job-run.js';
import { dayIn } from '../support/days.js';
import { eventually } from '../support/eventually.js';
import type { Program } from '../support/fetched-program.js';
import { startPooler } from '../support/pooler.js';
import { findProgram } from '../support/programs.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { unique } from '../support/stack.js';
import { ConsoleStack, type TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface JobBody<Result = never> {
  id: number;
  kind: string;
  state: string;
  ok: boolean | null;
  params: Record<string, string>;
  error: string | null;
  ended_at: string | null;
  operator: { email: string };
  progress: { done: number; total: number | null };
  result: Result;
}

const pgbouncer = await findProgram('pgbouncer');
const SLEEP = withLongTimeout({ name: 'test.sleep', text: 'SELECT pg_sleep(300)' });

let scene: Scene;
let finance: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  finance = await scene.console.signedIn('finance');
});
afterAll(() => scene.close());

const ended = <Result = never>(id: number, who = finance): Promise<JobBody<Result>> =>
  eventually(
    async () => (await who.browser.get<JobBody<Result>>(`/api/jobs/${id}`)).body,
    ({ ended_at }) => ended_at !== null,
  );

const start = <Body = JobBody>(body: object, who = finance): Promise<Answer<Body>> =>
  who.browser.post<Body>('/api/jobs', body);

const logged = (...actions: string[]): Promise<{ action: string; detail: object }[]> =>
  scene.console.sql(
    'SELECT action, detail FROM operator_actions WHERE operator_id = $1 AND action = ANY($2) ORDER BY id',
    [finance.id, actions],
  );

/** Makes an operator's console do the test's work as a job, and reports its start. */
const begin = (work: JobWork, who = finance, console = scene.console): Promise<number> =>
  console.app.get(JobRunner).start({ kind: 'audit', params: {}, operatorId: who.id, permission: 'audit.run' }, work);

/** Waits until a job makes PostgreSQL sleep. */
const sleeping = (): Promise<object[]> =>
  eventually(
    () => scene.stack.sql(`SELECT FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(300)'`),
    ({ length }) => length === 1,
  );

/** Carries out a job again if it lost its connection, as on a slow machine. */
const untilNotInterrupted = (run: () => Promise<JobBody>): Promise<JobBody> =>
  eventually(run, ({ state }) => state !== 'interrupted');

/** Runs until it is stopped. */
const endless: JobWork = async ({ report }) => {
  for (let done = 0; ; done++) {
    report(done);
    await delay(20);
  }
};

describe('jobs', () => {
  it('have the same results as the reports of the command line', async () => {
    const { stack, merchant, sku } = scene;
    const order = await stack.order(merchant, [{ sku, quantity: 2 }]);
    const { updated_at: end } = await stack.orderWith(merchant, order.reference_id, 'completed');
    const today = dayIn('UTC', end);
    const { status, body } = await start({ kind: 'daily_report', date: today, zone: 'UTC' });
    expect([status, body.params]).toEqual([201, { date: today, zone: 'UTC' }]);
    const daily = await ended<{ merchants: object[]; differences: string[] }>(body.id);
    expect(daily).toMatchObject({ state: 'succeeded', ok: true, operator: { email: finance.email } });
    expect(daily.result).toMatchObject({
      date: today,
      differences: [],
      merchants: [{ merchant_id: merchant.id, completed: 1, spent_amount: '70.00' }],
      total: { completed: 1, spent_amount: '70.00' },
      archived_orders: 0,
    });
    const csv = await finance.browser.get<string>(`/api/jobs/${body.id}/csv`);
    expect(csv.headers.get('content-disposition')).toContain(`daily_report-${body.id}.csv`);
    expect(csv.body.split('\n')).toHaveLength(4);
    expect(csv.body).toMatch(/^merchant_id,name,orders/);
    expect(csv.body).toContain('\n,total,1,1,0,');
    await eventually(
      () => logged('export.run'),
      ({ length }) => length === 1,
    );
    // The margin report counts days of Bangkok in every time zone.
    const day = dayIn('Asia/Bangkok', end);
    const month = { from: day, to: day };
    const margin = await start({ kind: 'margin_report', ...month, by: 'sku' });
    expect((await ended<object>(margin.body.id)).result).toMatchObject({
      rows: [{ about: sku, units: 2, revenue: '70.00' }],
      total: { units: 2 },
      archived_orders: 0,
    });
    const days = await start({ kind: 'margin_report', ...month, by: 'day' });
    expect((await ended<object>(days.body.id)).result).toMatchObject({
      rows: [{ about: day, units: 2, revenue: '70.00' }],
    });
    const supplier = await start({ kind: 'supplier_report', code: 'fake' });
    expect((await ended<object>(supplier.body.id)).result).toMatchObject({
      suppliers: [{ supplier: 'fake', succeeded: 2, difference_count: 0 }],
    });
    const audit = await start({ kind: 'audit' });
    const { ok, result, progress } = await ended<{ checks: { ok: boolean }[] }>(audit.body.id);
    expect([ok, result.checks.every((check) => check.ok)]).toEqual([true, true]);
    expect(progress.done).toBe(progress.total);
    expect(result).toMatchObject({ closed_through: null, closed_orders: 0 });
    expect(await logged('report.run', 'audit.run', 'export.run')).toMatchObject([
      { action: 'report.run', detail: { report: 'daily', date: today } },
      { action: 'export.run', detail: { list: 'daily_report', lines: 2 } },
      { action: 'report.run', detail: { report: 'margin', by: 'sku' } },
      { action: 'report.run', detail: { report: 'margin', by: 'day' } },
      { action: 'report.run', detail: { report: 'supplier', code: 'fake' } },
      { action: 'audit.run' },
    ]);
    const { body: list } = await finance.browser.get<{ data: JobBody[] }>('/api/jobs?kind=audit');
    expect(list.data.map(({ id }) => id)).toContain(audit.body.id);
  });

  it('name the problem of an invalid request', async () => {
    const future = await start({ kind: 'daily_report', date: '2999-01-01' });
    expect(await ended(future.body.id)).toMatchObject({
      state: 'failed',
      error: '2999-01-01 has not begun in Asia/Bangkok: choose a day up to today',
    });
    for (const [body, field, code] of [
      [{ kind: 'daily_report' }, 'date', 'REQUIRED'],
      [{ kind: 'audit', date: '2026-01-01' }, 'date', 'UNKNOWN_MEMBER'],
      [{ kind: 'daily_report', date: '2026-02-30' }, 'date', 'INVALID_VALUE'],
      [{ kind: 'replay' }, 'kind', 'INVALID_VALUE'],
    ] as const) {
      const { status, body: answer } = await start<ErrorBody>(body);
      expect([status, answer.details?.[0]]).toMatchObject([400, { field, code }]);
    }
    expect((await start({ kind: 'supplier_report', code: 'nobody' })).status).toBe(404);
    expect((await finance.browser.get('/api/jobs/999999')).status).toBe(404);
  });

  it('need a permission to run, and another one to read', async () => {
    const support = await scene.console.signedIn('support');
    const { status, body } = await start<ErrorBody>({ kind: 'audit' }, support);
    expect([status, body.details?.[0]?.field]).toEqual([403, 'audit.run']);
    const { body: job } = await start({ kind: 'audit' });
    await ended(job.id);
    expect((await support.browser.get(`/api/jobs/${job.id}`)).status).toBe(403);
    expect((await support.browser.get('/api/jobs?kind=audit')).status).toBe(403);
    const { body: list } = await support.browser.get<{ data: JobBody[] }>('/api/jobs');
    expect(list.data.filter(({ kind }) => kind !== 'replay')).toEqual([]);
    expect((await support.browser.send('DELETE', `/api/jobs/${job.id}`)).status).toBe(403);
    expect((await finance.browser.send('DELETE', `/api/jobs/${job.id}`)).status).toBe(409);
  });

  it('run one at a time in a process, and one of each kind in all processes', async () => {
    const id = await begin(endless);
    const { status, body } = await start<ErrorBody>({
      kind: 'margin_report',
      from: '2026-01-01',
      to: '2026-01-01',
      by: 'sku',
    });
    expect([status, body.message]).toEqual([409, 'A job of the kind audit is running: wait for it, or cancel it']);
    const other = await ConsoleStack.start({ DATABASE_URL: scene.stack.config.DATABASE_URL });
    try {
      await expect(begin(endless, finance, other)).rejects.toThrow('A job of the kind audit is running');
    } finally {
      await other.close();
    }
    expect((await finance.browser.send('DELETE', `/api/jobs/${id}`)).status).toBe(200);
    expect(await ended(id)).toMatchObject({ state: 'cancelled', error: 'it was cancelled' });
    const log = await scene.console.sql(
      `SELECT detail FROM operator_actions WHERE action = 'job.cancel' AND operator_id = $1`,
      [finance.id],
    );
    expect(log).toEqual([{ detail: { job: id, kind: 'audit' } }]);
  });

  it('are started once by a repeated request', async () => {
    const body = { kind: 'margin_report', from: '2026-01-01', to: '2026-01-02', by: 'sku' };
    const key = unique('double-click');
    const send = (what: object = body): Promise<Answer<JobBody & ErrorBody>> =>
      finance.browser.send('POST', '/api/jobs', what, { headers: { 'idempotency-key': key } });
    const answers = await Promise.all([send(), send(), send()]);
    const { id } = answers[0]?.body ?? { id: 0 };
    expect(answers.map(({ status, body: job }) => [status, job.id])).toEqual([
      [201, id],
      [201, id],
      [201, id],
    ]);
    await ended(id);
    expect((await send()).body.id).toBe(id);
    for (const other of [{ kind: 'audit' }, { ...body, to: '2026-01-03' }, { ...body, by: 'day' }]) {
      const { status, body: answer } = await send(other);
      expect([status, answer.message]).toEqual([409, 'Idempotency-Key was used for something else']);
    }
    const runs = await scene.console.sql(
      `SELECT FROM operator_actions WHERE operator_id = $1 AND detail @> '{"report": "margin", "to": "2026-01-02"}'`,
      [finance.id],
    );
    expect(runs).toHaveLength(1);
  });

  it('of the last day are the same one for a repeated request, unless it names a day', async () => {
    const options = { headers: { 'idempotency-key': unique('double-click') } };
    const send = (since?: string): Promise<Answer<JobBody>> =>
      finance.browser.send('POST', '/api/jobs', { kind: 'supplier_report', code: 'fake', since }, options);
    const { id } = (await send()).body;
    await ended(id);
    expect((await send()).body.id).toBe(id);
    expect((await send('2026-01-01T00:00:00Z')).status).toBe(409);
  });

  it('go on if their progress cannot be written for a while', async () => {
    const id = await begin(endless);
    const client = new pg.Client(scene.stack.config.DATABASE_URL);
    await client.connect();
    const waits = (): Promise<{ began: string }[]> =>
      scene.stack.sql(
        `SELECT query_start::text AS began FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE "console_jobs"%'`,
      );
    await client.query('BEGIN');
    await client.query('SELECT FROM console_jobs WHERE id = $1 FOR UPDATE', [id]);
    const [first] = await eventually(waits, ({ length }) => length === 1);
    // The first statement took too long, and PostgreSQL cancelled it.
    await eventually(waits, ([now]) => now !== undefined && now.began !== first?.began);
    await client.end();
    const { body } = await eventually(
      () => finance.browser.get<JobBody>(`/api/jobs/${id}`),
      ({ body: { state, progress } }) => state !== 'running' || progress.done > 0,
    );
    expect(body.state).toBe('running');
    await finance.browser.send('DELETE', `/api/jobs/${id}`);
    expect(await ended(id)).toMatchObject({ state: 'cancelled' });
  });

  it('are found by a repeated request while another process runs them', async () => {
    const client = new pg.Client(scene.stack.config.DATABASE_URL);
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(7038171, hashtext('audit'))`);
    const key = unique('double-click');
    const asked = finance.browser.send<JobBody>(
      ...(['POST', '/api/jobs', { kind: 'audit' }, { headers: { 'idempotency-key': key } }] as const),
    );
    const [job] = await scene.console.sql<{ id: number }>(
      `INSERT INTO console_jobs (kind, params, operator_id, idempotency_key) VALUES ('audit', '{}', $1, $2) RETURNING id`,
      [finance.id, key],
    );
    const { status, body } = await asked;
    expect([status, body.id]).toEqual([201, job?.id]);
    await client.end();
    expect(await ended(job?.id ?? 0)).toMatchObject({ state: 'interrupted' });
  });

  it('are cancelled while PostgreSQL runs a statement of theirs', async () => {
    const database = scene.console.app.get(JobDatabase);
    const id = await begin(async () => {
      await inSnapshot(database, (tx) => tx.query(SLEEP));
      return { ok: true, result: {} };
    });
    await sleeping();
    await finance.browser.send('DELETE', `/api/jobs/${id}`);
    expect(await ended(id)).toMatchObject({ state: 'cancelled', ok: null });
  });

  const behindPooler = pgbouncer === null ? it.skip : it;
  behindPooler('are cancelled behind a pooler, whose clients know no process of PostgreSQL’s', async () => {
    const pooler = await startPooler(pgbouncer as Program, scene.stack.config.DATABASE_URL);
    const settings = { DATABASE_URL: pooler.url, DATABASE_PREPARED_STATEMENTS: 'false' };
    const pooled = await ConsoleStack.start(settings);
    try {
      const database = pooled.app.get(JobDatabase);
      const id = await begin(
        async () => {
          await inSnapshot(database, (tx) => tx.query(SLEEP));
          return { ok: true, result: {} };
        },
        finance,
        pooled,
      );
      await sleeping();
      await finance.browser.send('DELETE', `/api/jobs/${id}`);
      expect(await ended(id)).toMatchObject({ state: 'cancelled', ok: null });
    } finally {
      await Promise.allSettled([pooled.close()]);
      await pooler.stop();
    }
  });

  it('end when their operator is disabled or gets a lower role, and change nothing after that', async () => {
    const losesRole = async (): Promise<JobBody> => {
      const admin = await scene.console.signedIn('finance');
      const id = await begin(endless, admin);
      await scene.console.operators.setRole(admin.email, 'viewer');
      return ended(id);
    };
    expect(await untilNotInterrupted(losesRole)).toMatchObject({
      state: 'cancelled',
      error: 'the operator who started it no longer has the permission',
    });
    const leaves = async (): Promise<JobBody> => {
      const leaver = await scene.console.signedIn('finance');
      let open = (): void => undefined;
      const gate = new Promise<void>((resolve) => (open = resolve));
      const id = await begin(async ({ assertMay }) => {
        await gate;
        await scene.console.app.get(JobDatabase).transaction((tx) => assertMay(tx));
        return { ok: true, result: {} };
      }, leaver);
      await scene.console.operators.disable(leaver.email);
      open();
      return ended(id);
    };
    expect(await untilNotInterrupted(leaves)).toMatchObject({ state: 'cancelled' });
  });

  it('count as interrupted when their process ends in any way', async () => {
    const stopped = async (): Promise<JobBody> => {
      const other = await ConsoleStack.start({ DATABASE_URL: scene.stack.config.DATABASE_URL });
      const id = await begin(endless, finance, other);
      await other.close();
      return ended(id);
    };
    // Repeated if the console had no time to say so itself.
    const said = await eventually(stopped, ({ error }) => error === 'the console was stopped');
    expect(said.state).toBe('interrupted');
    const killed = await scene.console.sql<{ id: number }>(
      `INSERT INTO console_jobs (kind, params, operator_id) VALUES ('audit', '{}', $1) RETURNING id`,
      [finance.id],
    );
    expect(await ended(killed[0]?.id ?? 0)).toMatchObject({
      state: 'interrupted',
      error: 'its process ended, or lost its connection, before the job ended',
    });
  });

  it('that another process still runs do not count as interrupted', async () => {
    const client = new pg.Client(scene.stack.config.DATABASE_URL);
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(7038171, hashtext('audit'))`);
    const [job] = await scene.console.sql<{ id: number }>(
      `INSERT INTO console_jobs (kind, params, operator_id) VALUES ('audit', '{}', $1) RETURNING id`,
      [finance.id],
    );
    const path = `/api/jobs/${job?.id}`;
    expect((await finance.browser.get<JobBody>(path)).body.state).toBe('running');
    await client.end();
    expect(await ended(job?.id ?? 0)).toMatchObject({ state: 'interrupted' });
  });
});
