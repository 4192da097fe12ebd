import { AppError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

/** Observes what leased work does besides running its tasks. */
export interface WorkObserver<Task> {
  claimFailed(error: unknown): void;
  /** Nothing was done for the task: it is given back. */
  claimExpired(task: Task): void;
  taskFailed(task: Task, error: unknown): void;
}

/** Puts it into the log; for each kind of work a class of its own adds what its tasks do. */
export abstract class WorkLog<Task> implements WorkObserver<Task> {
  constructor(
    private readonly queue: string,
    protected readonly logger: Logger,
  ) {}

  /** How log lines name a task. */
  protected abstract about(task: Task): object;

  claimFailed(error: unknown): void {
    this.logger.warn({ queue: this.queue, reason: (error as Error).message }, 'work was not claimed');
  }

  claimExpired(task: Task): void {
    this.logger.warn(this.about(task), 'claim expired before use');
  }

  /** A database that is away for a moment is no fault of the task: its lease brings it back. */
  taskFailed(task: Task, error: unknown): void {
    if (error instanceof AppError)
      this.logger.warn({ ...this.about(task), reason: error.message }, 'a task waits for the database');
    else this.logger.error({ ...this.about(task), err: error }, 'a task failed');
  }
}
