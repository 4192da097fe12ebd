import {
  Inject,
  Injectable,
  Optional,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { TASK, type OnTasksStopped, type TaskMethod, type WorkerTaskOptions } from '../core/worker-task.js';
import { SchemaService } from '../database/schema.service.js';

/** How often each worker checks a task that only one worker runs in each interval. */
const CHECK_EVERY_MS = 10_000;

/** The share of the interval by which a run may begin sooner, so that workers that start together do not run together. */
const JITTER = 0.1;

/** Whether this process is a worker. */
export const IS_WORKER = Symbol('IS_WORKER');

type Owner = Record<string, TaskMethod> & Partial<OnTasksStopped>;
type Task = WorkerTaskOptions & { name: string };

/** Runs the `@WorkerTask` methods of all providers of this process. */
@Injectable()
export class TaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks = new Map<Owner, RunningTask[]>();
  private readonly names = new Set<string>();
  private readonly failing = new Set<string>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly schema: SchemaService,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() @Inject(IS_WORKER) private readonly isWorker = false,
  ) {}

  onApplicationBootstrap(): void {
    for (const provider of this.discovery.getProviders({ metadataKey: TASK.KEY })) {
      const owner = provider.instance as Owner;
      const tasks = this.scanner.getAllMethodNames(Object.getPrototypeOf(owner) as object).flatMap((method) => {
        const task = this.discovery.getMetadataByDecorator(TASK, provider, method);
        return task ? this.create(task, owner, method) : [];
      });
      this.tasks.set(owner, tasks);
    }
    void this.schema.whenReady().then((isReady) => {
      if (isReady) for (const task of [...this.tasks.values()].flat()) task.start();
    });
  }

  /** Starts no more runs, and waits for the current ones. Each `onTasksStopped` follows the tasks of its class. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(
      [...this.tasks].map(async ([owner, tasks]) => {
        await Promise.all(tasks.map((task) => task.stop()));
        if (tasks.length > 0) await owner.onTasksStopped?.();
      }),
    );
  }

  /** @returns no task if this process must not run it. */
  private create(task: Task, owner: Owner, method: string): RunningTask[] {
    const { intervalMs, setting } = this.timingOf(task);
    if (intervalMs === 0 || !(this.isWorker || task.inEveryProcess)) return [];
    if (this.names.has(task.name)) throw new Error(`two tasks are called ${task.name}: rename one`);
    this.names.add(task.name);
    this.metrics.taskKnown(task.name);
    const run = (stop: AbortSignal) => this.run(task, async () => owner[method]?.(stop, setting));
    return [new RunningTask(run, intervalMs)];
  }

  /** An interval of 0 means never. */
  private timingOf(task: Task): { intervalMs: number; setting: number } {
    if ('dueBy' in task) {
      const setting = this.config[task.dueBy];
      return { intervalMs: Math.min(CHECK_EVERY_MS, setting), setting };
    }
    const setting = task.offBy === undefined ? NaN : this.config[task.offBy];
    return { intervalMs: setting === 0 ? 0 : task.every, setting };
  }

  private async run(task: Task, work: () => Promise<unknown>): Promise<void> {
    const startedAtMs = performance.now();
    const result = await work().then(
      () => 'done' as const,
      (error: unknown) => {
        this.report(task, error as Error);
        return 'failed' as const;
      },
    );
    if (result === 'done') this.failing.delete(task.name);
    this.metrics.taskRan(task.name, result, (performance.now() - startedAtMs) / 1000);
  }

  private report({ name, failed, level = 'warn', once }: Task, { message }: Error): void {
    const isKnown = this.failing.has(name);
    this.failing.add(name);
    if (failed !== undefined && !(once && isKnown)) this.logger[level]({ task: name, reason: message }, failed);
  }
}

/** Runs a function at once and then at an interval, one run at a time. */
class RunningTask {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param run must not fail. @param intervalMs the longest time from one start to the next, unless a run takes longer. */
  constructor(
    private readonly run: (stop: AbortSignal) => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  start(): void {
    if (this.stopped.signal.aborted) return;
    this.running ??= this.run(this.stopped.signal).finally(() => (this.running = undefined));
    this.timer = setTimeout(() => this.start(), this.intervalMs * (1 - JITTER * Math.random()));
  }

  /** Starts no more runs, and waits for the current one. */
  async stop(): Promise<void> {
    this.stopped.abort();
    clearTimeout(this.timer);
    await this.running;
  }
}
