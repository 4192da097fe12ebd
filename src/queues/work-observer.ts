import { AppError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

/** Observes failures of leased work. */
export interface WorkObserver<Task> {
  claimFailed(error: unknown): void;
  /** The claim expired before the worker did anything for the task. */
  claimExpired(task: Task): void;
  taskFailed(task: Task, error: unknown): void;
}

/** Logs these failures. Each kind of work has a subclass, which also logs what happens to its tasks. */
export abstract class WorkLog<Task> implements WorkObserver<Task> {
  constructor(
    private readonly queue: string,
    protected readonly logger: Logger,
  ) {}

  /** The fields by which log lines name a task. */
  protected abstract about(task: Task): object;

  claimFailed(error: unknown): void {
    this.logger.warn({ queue: this.queue, reason: (error as Error).message }, 'work was not claimed');
  }

  claimExpired(task: Task): void {
    this.logger.warn(this.about(task), 'claim expired before use');
  }

  /** Logs an AppError without a stack: PostgreSQL is away or overloaded, and the task is due again after its lease. */
  taskFailed(task: Task, error: unknown): void {
    if (error instanceof AppError)
      this.logger.warn(
        { ...this.about(task), reason: error.message },
        'the state of a task could not be written: the task is due again after its lease at the latest',
      );
    else this.logger.error({ ...this.about(task), err: error }, 'a task failed');
  }
}
