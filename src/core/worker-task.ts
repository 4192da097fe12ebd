import { DiscoveryService } from '@nestjs/core';
import type { Config } from './config.js';

type Setting<Ending extends string> = Extract<keyof Config, `${string}${Ending}`>;

interface RunOptions {
  /** The log message for a failed run. Without this message, only the method itself can log its failures. */
  failed?: string;
  /** The level of this message. */
  level?: 'warn' | 'debug';
  /** After a failure was logged, logs no further failure until a run succeeds. For tasks that lose nothing meanwhile. */
  once?: true;
  /** Runs in the API as well, not only in workers. */
  inEveryProcess?: true;
}

/** A task that runs in every worker. */
interface RepeatedTask extends RunOptions {
  /** Milliseconds from one run to the next, or up to a tenth less. Runs never overlap. */
  every: number;
  /** The task is off if this setting is 0. */
  offBy?: Setting<'_DAYS'>;
}

/**
 * A task for rows that are due once in an interval, such as suppliers. The runner calls the method in every worker at least every
 * ten seconds. The method must claim the due rows, so that only one worker handles each row.
 */
interface DueTask extends RunOptions {
  /** The setting with the interval in milliseconds. If it is 0, the task is off. */
  dueBy: Setting<'_INTERVAL_MS'>;
}

export type WorkerTaskOptions = RepeatedTask | DueTask;

/**
 * @param stop aborted when the process stops; long work must check it.
 * @param setting the value of `dueBy` or `offBy`; NaN for a task with neither.
 */
export type TaskMethod = (stop: AbortSignal, setting: number) => Promise<unknown>;

/** For a class with tasks: called when the process stops, after its own tasks have ended. */
export interface OnTasksStopped {
  onTasksStopped(): Promise<void>;
}

/** The metadata of a task. It is on the method, and also on the class, so that Nest finds the class. */
export const TASK = DiscoveryService.createDecorator<WorkerTaskOptions & { name: string }>();

/**
 * Calls a provider's method repeatedly: first when the database has its schema, and then until the process stops.
 * @param name the name of the task in metrics and logs.
 */
export const WorkerTask =
  (name: string, options: WorkerTaskOptions) =>
  <Method extends TaskMethod>(target: object, key: string, descriptor: TypedPropertyDescriptor<Method>): void => {
    TASK({ name, ...options })(target, key, descriptor);
    TASK()(target.constructor);
  };
