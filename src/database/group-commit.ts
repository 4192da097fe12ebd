import { AppError } from '../core/errors.js';
import { isConnectionLost } from '../core/postgres-errors.js';

/** What became of one command of a batch: its result, or the error that it alone gets. */
export type Outcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown };

export const succeeded = <Result>(value: Result): Outcome<Result> => ({ ok: true, value });
export const refused = (error: unknown): Outcome<never> => ({ ok: false, error });

interface Options<Command, Result> {
  /** Commits a batch in one transaction and answers for each command, in order. */
  commit: (commands: Command[]) => Promise<Outcome<Result>[]>;
  /**
   * Whether a batch that failed as a whole may be tried again command by command. By default not after a refusal, nor
   * after a lost connection: the batch may have been committed.
   */
  retryAlone?: (error: unknown) => boolean;
  maxBatch?: number;
  /** Batches at once; one goes out beside another only when it is full. */
  maxInFlight?: number;
  /** What a command adds to its batch, where commands differ much in size; 1 each by default. */
  weightOf?: (command: Command) => number;
  /** A batch is cut when it weighs this much, so that a heavy command does not keep many others waiting. */
  maxWeight?: number;
  /** Commands that may wait; one more is refused with 503, so that an overload sheds load and never falls over. */
  maxWaiting?: number;
  /** How long a command may wait for its batch to begin before it is refused with 503; it has then done nothing. */
  maxWaitMs?: number;
  /** Told of each batch as it goes out: how long each of its commands waited, in milliseconds. */
  onBatch?: (waitedMs: number[]) => void;
}

interface Waiting<Command, Result> {
  command: Command;
  sinceMs: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const SWEEP_MS = 250;

const overloaded = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'The service is overloaded, please try again', {
    retryAfterSeconds: 1,
  });

/**
 * Lets commands that arrive while a transaction is in flight share the next one.
 *
 *     submit ─┐                      ┌─ batch 1 ─ BEGIN … COMMIT ─┐
 *     submit ─┼─> waiting, in order ─┤                            ├─> each caller its own result
 *     submit ─┘                      └─ batch 2 ─ BEGIN … COMMIT ─┘
 *
 * There is no timer: a command that finds no batch in flight goes out in the same turn of the event loop, so a lone one
 * is a batch of one. Under load a commit's cost (a flush to disk, some round trips, the start of each statement) is paid
 * once for many; a second batch that set out half full would pay it again and wait for the first one's locks.
 */
export class GroupCommit<Command, Result> {
  private readonly waiting: Waiting<Command, Result>[] = [];
  private inFlight = 0;
  private scheduled = false;
  private sweeping: NodeJS.Timeout | undefined;
  private readonly options: Required<Options<Command, Result>>;

  constructor(options: Options<Command, Result>) {
    this.options = {
      retryAlone: (error) => !(error instanceof AppError) && !isConnectionLost(error),
      maxBatch: 64,
      weightOf: () => 1,
      maxWeight: Infinity,
      maxInFlight: 2,
      maxWaiting: 10_000,
      maxWaitMs: Infinity,
      onBatch: () => undefined,
      ...options,
    };
  }

  /**
   * Adds a command to the next batch.
   * @returns its result, once the transaction that holds it has committed.
   * @throws the error that its own command met, or `SERVICE_UNAVAILABLE` when too many wait already.
   */
  submit(command: Command): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.waiting.push({ command, sinceMs: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** One look at the queue per turn of the event loop, after all that arrived in this turn has been read. */
  private schedule(): void {
    if (this.scheduled) return;
    if (!this.mayFlush()) return this.sweepLater();
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.mayFlush()) void this.flush(this.takeBatch());
      if (this.waiting.length > 0) this.sweepLater();
    });
  }

  private mayFlush(): boolean {
    const { maxInFlight, maxBatch } = this.options;
    const enough = this.inFlight === 0 ? 1 : maxBatch;
    return this.inFlight < maxInFlight && this.waiting.length >= enough;
  }

  /** The commands that waited longest, at least one of them. */
  private takeBatch(): Waiting<Command, Result>[] {
    const { maxBatch, maxWeight, weightOf } = this.options;
    let weight = 0;
    let size = 0;
    for (const { command } of this.waiting.slice(0, maxBatch)) {
      weight += weightOf(command);
      if (size > 0 && weight > maxWeight) break;
      size++;
    }
    return this.waiting.splice(0, size);
  }

  /** While batches take so long that commands wait, refuses those that have waited too long. */
  private sweepLater(): void {
    if (this.sweeping || this.options.maxWaitMs === Infinity) return;
    this.sweeping = setTimeout(() => {
      this.sweeping = undefined;
      const latestMs = performance.now() - this.options.maxWaitMs;
      const fresh = this.waiting.findIndex(({ sinceMs }) => sinceMs > latestMs);
      for (const { reject } of this.waiting.splice(0, fresh < 0 ? this.waiting.length : fresh))
        reject(overloaded());
      if (this.waiting.length > 0) this.sweepLater();
    }, SWEEP_MS);
    this.sweeping.unref();
  }

  private async flush(batch: Waiting<Command, Result>[]): Promise<void> {
    this.inFlight++;
    const now = performance.now();
    this.options.onBatch(batch.map(({ sinceMs }) => now - sinceMs));
    await this.commit(batch);
    this.inFlight--;
    if (this.waiting.length > 0) this.schedule();
  }

  private async commit(batch: Waiting<Command, Result>[]): Promise<void> {
    try {
      const outcomes = await this.options.commit(batch.map(({ command }) => command));
      batch.forEach((each, index) => settle(each, outcomes[index]));
    } catch (error) {
      if (batch.length > 1 && this.options.retryAlone(error)) {
        // Whichever of them broke the batch fails alone; the others must not pay for it.
        for (const each of batch) await this.commit([each]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }
}

function settle<Command, Result>(each: Waiting<Command, Result>, outcome: Outcome<Result> | undefined): void {
  if (outcome === undefined) each.reject(new Error('a batch answered for fewer commands than it was given'));
  else if (outcome.ok) each.resolve(outcome.value);
  else each.reject(outcome.error);
}
