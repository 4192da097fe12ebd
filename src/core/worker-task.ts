import { DiscoveryService } from '@nestjs/core';
import type { Config } from './config.js';

type Setting<Ending extends string> = Extract<keyof Config, `${string}${Ending}`>;

interface RunOptions {
  /** What the log says of a run that fails; without it, the method logs its failures itself. */
  failed?: string;
  /** How it says it. */
  level?: 'warn' | 'debug';
  /** Whether it says it once until a run succeeds again, for what loses nothing meanwhile. */
  once?: true;
  /** Whether the API does it as well, and not workers only. */
  inEveryProcess?: true;
}

/** In every worker. */
interface RepeatedTask extends RunOptions {
  /** Milliseconds from one run to the next; a run that takes longer has none beside it. */
  every: number;
  /** Off where this setting is 0. */
  offBy?: Setting<'_DAYS'>;
}

/**
 * Once in an interval over all workers. Each of them looks every few seconds; the statement that takes what is due decides
 * which one does it.
 */
interface DueTask extends RunOptions {
  /** The setting that has the interval in milliseconds; off where it is 0. */
  dueBy: Setting<'_INTERVAL_MS'>;
}

export type WorkerTaskOptions = RepeatedTask | DueTask;

/**
 * @param stop is aborted when the process stops: what takes long looks at it.
 * @param setting the value of `dueBy` or `offBy`.
 */
export type TaskMethod = (stop: AbortSignal, setting: number) => Promise<unknown>;

/** For a class with tasks: what it does when the process stops and its own tasks have ended. */
export interface OnTasksStopped {
  onTasksStopped(): Promise<void>;
}

/** On each method, and on its class, by which Nest finds it. */
export const TASK = DiscoveryService.createDecorator<WorkerTaskOptions & { name: string }>();

/**
 * Has a method of a provider called again and again: from when the database has its schema until the process stops, at
 * once at first.
 * @param name of the task, in metrics and logs.
 */
export const WorkerTask =
  (name: string, options: WorkerTaskOptions) =>
  <Method extends TaskMethod>(target: object, key: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    TASK({ name, ...options })(target, key, descriptor);
    TASK()(target.constructor);
  };
