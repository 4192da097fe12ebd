import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deferred } from '../support/deferred.js';
import { bought, refused } from '../support/fake-supplier.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/stack.js';
import { TaskRunner } from '../../src/maintenance/task-runner.js';
import { MinuteStatsService } from '../../src/monitoring/stats/minute-stats.service.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface Over {
  at: string[];
  step_seconds: number;
  counts: { name: string; values: number[] }[];
  levels: { name: string; values: (number | null)[] }[];
  durations: { name: string; p50_ms: (number | null)[]; p95_ms: (number | null)[] }[];
}

let scene: Scene;
let viewer: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  viewer = await scene.console.signedIn('viewer');
});
afterAll(() => scene.close());

const over = async (query = ''): Promise<Over> => {
  const { status, body } = await viewer.browser.get<Over>(`/api/figures/minutes${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body;
};
const total = ({ counts }: Over, name: string): number =>
  (counts.find((each) => each.name === name)?.values ?? []).reduce((sum, each) => sum + each, 0);

describe('stats', () => {
  it('are the sums of all processes, without sandbox merchants', async () => {
    const { stack, merchant, sku } = scene;
    const bought = await stack.order(merchant, [{ sku, quantity: 2 }]);
    const user = unique('refused');
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const failed = await stack.order(merchant, [{ sku }], user);
    await stack.orderWith(merchant, bought.reference_id, 'completed');
    await stack.orderWith(merchant, failed.reference_id, 'failed');
    const found = await eventually(
      () => over(),
      (each) =>
        total(each, 'orders_placed') >= 2 && total(each, 'orders_failed') >= 1 && total(each, 'orders_completed') >= 1,
    );
    expect([total(found, 'orders_placed'), total(found, 'orders_completed'), total(found, 'orders_failed')]).toEqual([
      2, 1, 1,
    ]);
    const calls = await over('?supplier=fake');
    expect(calls.counts.map(({ name }) => [name, total(calls, name)])).toEqual([
      ['failed', 1],
      ['succeeded', 2],
    ]);
    const send = calls.durations.find(({ name }) => name === 'send');
    const known = send?.p95_ms.filter((each) => each !== null) ?? [];
    expect(known.length).toBeGreaterThan(0);
    expect(known.every((each) => each > 0 && each <= 60_000)).toBe(true);
    const { body } = await viewer.browser.get<Record<string, number>>('/api/figures/now');
    expect(body).toMatchObject({
      failed_share: 0.5,
      orders_open: 0,
      units_review: 0,
      wallets_below_alert: 0,
      backup_age_seconds: null,
    });
    expect(body.orders_per_minute).toBeGreaterThanOrEqual(2 / 6);
    expect(body.orders_per_minute).toBeLessThanOrEqual(2 / 5);
  });

  it('have the age of the last complete backup, once one was attempted', async () => {
    const age = async (): Promise<number | null> => {
      const { body } = await viewer.browser.get<{ backup_age_seconds: number | null }>('/api/figures/now');
      return body.backup_age_seconds;
    };
    await scene.console.sql(`INSERT INTO backups (started_at) VALUES (now() - interval '3 days')`);
    expect(await age()).toBeGreaterThanOrEqual(3 * 86_400);
    await scene.console.sql(`INSERT INTO backups (started_at, completed_at, bytes)
      VALUES (now() - interval '2 days', now() - interval '2 days', 1), (now() - interval '1 hour', NULL, NULL)`);
    expect(Math.floor(((await age()) ?? 0) / 86_400)).toBe(2);
  });

  it('of a process that stops are not lost', async () => {
    const { stack, merchant, sku } = scene;
    const before = total(await over('?supplier=fake'), 'succeeded');
    const order = await stack.order(merchant, [{ sku, quantity: 3 }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await stack.stopWorkers();
    // PostgreSQL may still write the last counts.
    const after = await eventually(
      async () => total(await over('?supplier=fake'), 'succeeded'),
      (succeeded) => succeeded >= before + 3,
    );
    expect(after).toBe(before + 3);
    await stack.startWorker();
  });

  it('are added once, even if a process writes them several times', async () => {
    const tasks = scene.stack.api.get(TaskRunner);
    for (let times = 0; times < 3; times++) {
      await tasks.beforeApplicationShutdown();
      const placed = await eventually(
        async () => total(await over(), 'orders_placed'),
        (count) => count >= 3,
      );
      expect(placed).toBe(3);
    }
  });

  it('of a process that stops include the work that ends after its tasks', async () => {
    const { stack, merchant, sku } = scene;
    await stack.stopWorkers();
    const worker = await stack.startWorker();
    const before = total(await over('?supplier=fake'), 'succeeded');
    const user = unique('late');
    const tasksStopped = deferred<undefined>();
    stack.supplier.script(user, async ({ reference }) => {
      await tasksStopped.promise;
      return bought(reference);
    });
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => stack.supplier.about(order.order_number),
      ({ length }) => length > 0,
    );
    const stats = worker.get(MinuteStatsService);
    const stop = stats.onTasksStopped.bind(stats);
    stats.onTasksStopped = async () => {
      await stop();
      tasksStopped.resolve(undefined);
    };
    await stack.stopWorkers();
    const after = await eventually(
      async () => total(await over('?supplier=fake'), 'succeeded'),
      (succeeded) => succeeded > before,
    );
    expect(after).toBe(before + 1);
    await stack.startWorker();
  });

  it('have the levels of each minute', async () => {
    const found = await eventually(
      () => over(),
      ({ levels }) => levels.some(({ values }) => values.some((value) => value !== null)),
    );
    const review = found.levels.find(({ name }) => name === 'units_review');
    expect(review?.values).toHaveLength(found.at.length);
    expect(review?.values.findLast((value) => value !== null)).toBe(0);
  });

  it('come in round steps of time, and at most 200 of them', async () => {
    const day = 86_400_000;
    for (const [days, step] of [
      [1, 600],
      [7, 3_600],
      [90, 43_200],
    ] as const) {
      const from = new Date(Date.now() - days * day).toISOString();
      const found = await over(`?from=${from}`);
      expect([days, found.step_seconds]).toEqual([days, step]);
      expect(found.at.length).toBeLessThanOrEqual(201);
      expect(total(found, 'orders_placed')).toBeGreaterThan(0);
    }
  });

  it('show the pace of orders also while a minute is young', async () => {
    // Sixty orders in each of the last five minutes, and none yet in the current one.
    const pace = async (): Promise<number> => {
      await scene.console.sql(
        `INSERT INTO minute_figures (figure, subject, minute, label, up_to_ms, value)
         SELECT 'orders', '', date_trunc('minute', now()) - make_interval(mins => n), 'placed', 0, 60
         FROM generate_series(1, 5) n
         ON CONFLICT (figure, subject, minute, label, up_to_ms) DO UPDATE SET value = 60`,
      );
      const { body } = await viewer.browser.get<{ orders_per_minute: number }>('/api/figures/now');
      return body.orders_per_minute;
    };
    // Repeated if the next minute began meanwhile.
    expect(await eventually(pace, (read) => read >= 300 / 6)).toBeLessThan(62);
  });

  it.each([
    '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    '?from=2025-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    '?from=yesterday',
  ])('refuse an invalid time: %s', async (query) => {
    expect((await viewer.browser.get(`/api/figures/minutes${query}`)).status).toBe(400);
  });

  it('of an unknown supplier are 404', async () => {
    expect((await viewer.browser.get('/api/figures/minutes?supplier=nobody')).status).toBe(404);
  });
});

describe('the states of suppliers', () => {
  const states = (): Promise<{ process: string; breaker: string }[]> =>
    scene.console.sql(`SELECT process, breaker FROM supplier_states`);

  it('are written by each worker, and removed when it ends', async () => {
    const { stack, merchant, sku } = scene;
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const [worker] = await eventually(states, (rows) => rows.length > 0);
    expect(worker).toMatchObject({ breaker: 'closed' });
    await scene.stack.stopWorkers();
    expect(await states()).toEqual([]);
    await scene.stack.startWorker();
  });
});
