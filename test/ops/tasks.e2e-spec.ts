import { readFileSync } from 'node:fs';
import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskRunner } from '../../src/maintenance/task-runner.js';
import { ManagementServer } from '../../src/monitoring/management/management-server.js';
import { eventually } from '../support/eventually.js';
import { TestStack } from '../support/stack.js';
import { openManagementPort, Scrape } from './management.js';

const RUNS = 'topup_task_runs_total';

let stack: TestStack;
let worker: INestApplicationContext;
let port: string;
let log: { msg: string; task?: string; reason?: string }[];

beforeAll(async () => {
  log = [];
  stack = await TestStack.start(
    { LOG_LEVEL: 'info' },
    { worker: false, logTo: { write: (line) => log.push(JSON.parse(line) as (typeof log)[number]) } },
  );
  worker = await stack.startWorker();
  port = await openManagementPort(worker, 0);
});

afterAll(() => stack.close());

/** The names of a process's tasks that have run. */
const tasksAt = async (at: string): Promise<string[]> => {
  const samples = (await Scrape.of(at)).samples(RUNS).filter(({ value }) => value > 0);
  return [...new Set(samples.map(({ labels: { task = '' } }) => task))].sort();
};

/** The names in the documentation. */
const documented = (): string[] => {
  const [, list = ''] = /`task` is one of ([^.]+)\./.exec(readFileSync('docs/metrics.md', 'utf8')) ?? [];
  return [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
};

describe('the recurring tasks', () => {
  it('of a worker are those that the documentation names', async () => {
    const expected = documented();
    expect(expected.length).toBeGreaterThan(0);
    await eventually(
      () => tasksAt(port),
      (tasks) => tasks.length >= expected.length,
    );
    expect(await tasksAt(port)).toEqual(expected);
  });

  it('of the API write only its stats', async () => {
    const api = await openManagementPort(stack.api, 0);
    expect(
      await eventually(
        () => tasksAt(api),
        (tasks) => tasks.length > 0,
      ),
    ).toEqual(['minute_figures']);
  });

  it('report a failed run in log and metrics, and go on', async () => {
    const task = 'attempt_checks';
    const runs = async (result: string): Promise<number> => (await Scrape.of(port)).value(RUNS, { task, result }) ?? 0;
    await stack.sql('ALTER TABLE attempt_checks RENAME TO away');
    await eventually(
      () => runs('failed'),
      (count) => count > 0,
    );
    // A busy machine may fail it for another reason first.
    const line = await eventually(
      () => log.find((each) => each.task === task && each.reason?.includes(task)),
      (found) => found !== undefined,
    );
    expect(line).toMatchObject({ msg: 'checks of ended attempts failed' });
    await stack.sql('ALTER TABLE away RENAME TO attempt_checks');
    const before = await runs('done');
    await eventually(
      () => runs('done'),
      (count) => count > before,
    );
  });

  it('are off if their setting is 0', async () => {
    const [lazy, lazyPort] = await startWith({ SUPPLIER_BALANCE_INTERVAL_MS: 0, WEBHOOK_LOG_DAYS: 0 });
    const off = ['supplier_balances', 'old_events', 'old_partitions', 'old_callbacks', 'old_channel_callbacks'];
    const expected = documented().filter((name) => !off.includes(name));
    await eventually(
      () => tasksAt(lazyPort),
      (tasks) => tasks.length >= expected.length,
    );
    expect(await tasksAt(lazyPort)).toEqual(expected);
    await lazy.close();
  });

  it('end before the management port does', async () => {
    const [another] = await startWith({});
    const ended: string[] = [];
    const [runner, server] = [another.get(TaskRunner), another.get(ManagementServer)];
    const [stopTasks, stopServer] = [
      runner.beforeApplicationShutdown.bind(runner),
      server.beforeApplicationShutdown.bind(server),
    ];
    runner.beforeApplicationShutdown = async () => {
      await stopTasks();
      ended.push('tasks');
    };
    server.beforeApplicationShutdown = () => {
      ended.push('management port');
      stopServer();
    };
    await another.close();
    expect(ended).toEqual(['tasks', 'management port']);
  });
});

async function startWith(changes: Parameters<TestStack['startWorker']>[0]): Promise<[INestApplicationContext, string]> {
  const started = await stack.startWorker(changes);
  return [started, await openManagementPort(started, 0)];
}
