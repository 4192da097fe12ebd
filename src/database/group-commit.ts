import { AppError, databaseUnavailable } from '../core/errors.js';
import { isConnectionLost, isLockTimeout, isOutOfRoom, isOverloaded } from '../core/postgres-errors.js';

/** The outcome of one command of a batch: its result, its own error, or that its rows are locked. */
export type BatchResult<Result> = { ok: true; value: Result } | { ok: false; error: unknown } | { ok: 'locked' };

export const succeeded = <Result>(value: Result): BatchResult<Result> => ({ ok: true, value });
export const refused = (error: unknown): BatchResult<never> => ({ ok: false, error });
/**
 * Another transaction has locked the command's rows, so the command is set aside. A batch with the wait `patiently` never returns
 * this.
 */
export const locked: BatchResult<never> = { ok: 'locked' };

/**
 * How a batch treats rows that another transaction has locked.
 * - `briefly`: waits for them for a short time, and then fails as a whole with a lock timeout; or skips them like `never`.
 * - `never`: skips them and returns `locked` for the commands that need them.
 * - `patiently`: waits longer, and then fails. All commands of the batch have the same key.
 */
export type LockWait = 'briefly' | 'never' | 'patiently';

/** Milliseconds for `LIMIT_LOCK_WAIT`. With `never` a batch skips locked rows, so the limit applies only to other locks. */
export const LOCK_WAIT_MS: Record<LockWait, string> = { briefly: '300', never: '1000', patiently: '1000' };

interface Options<Command, Result> {
  /** Commits a batch in one transaction and answers for each command, in order. */
  commit: (commands: Command[], wait: LockWait) => Promise<BatchResult<Result>[]>;
  /**
   * The key of the row that the command locks, such as a wallet, if other transactions may hold that row for long. After a lock
   * timeout, commands whose row is locked are set aside by this key, and commands with other keys do not wait for them. Without
   * `keyOf`, a batch that meets a lock timeout fails as a whole.
   */
  keyOf?: (command: Command) => number;
  /**
   * Whether a batch that failed as a whole may be tried again command by command. By default not after a refusal, not after a
   * lost connection (the batch may have been committed), and not after a timeout (each command would take as long).
   */
  retryAlone?: (error: unknown) => boolean;
  maxBatch?: number;
  /**
   * The maximum of batches in flight, without those of set-aside commands. While one is in flight, another goes out
   * only when it is full.
   */
  maxInFlight?: number;
  /** The weight of a command, for `maxWeight`; 1 by default. For commands that differ much in size. */
  weightOf?: (command: Command) => number;
  /** A batch is cut before it weighs more than this, so that heavy commands do not keep many others waiting. */
  maxWeight?: number;
  /**
   * How many commands may wait. Any further one is refused with 503, so that an overloaded service sheds load and does not fall
   * over.
   */
  maxWaiting?: number;
  /** How long a command may wait for its batch to begin before it is refused with 503; it has then done nothing. */
  maxWaitMs?: number;
  /**
   * How long after its submission a command is answered with 503 if its batch is still in flight. The batch may be committed all
   * the same.
   */
  answerWithinMs?: number;
  /** How many keys with set-aside commands may wait for locks at once. Each needs a connection. */
  maxAside?: number;
  /**
   * Called when commands first go out in a batch, with how many milliseconds each of them waited. Not called for
   * repetitions.
   */
  onBatch?: (waitedMs: number[]) => void;
  /** Called for a key whose commands are set aside from now on. */
  onSetAside?: (key: number) => void;
}

interface Waiting<Command, Result> {
  command: Command;
  sinceMs: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** Whether its caller got a 503 while its batch was in flight. */
  isGivenUp: boolean;
}

/** The commands of one key whose rows another transaction has locked, or had locked at the last try. */
interface Aside<Command, Result> {
  waiting: Waiting<Command, Result>[];
  isRunning: boolean;
}

const SWEEP_MS = 250;

const unavailable = (message: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 });

const overloaded = (): AppError => unavailable('The service is overloaded, please try again');
const lockedForTooLong = (): AppError => unavailable('Other work on the same account takes too long, please try again');

/**
 * Lets commands that arrive while a transaction is in flight share the next transaction.
 *
 *     submit ─┐                      ┌─ batch 1 ─ BEGIN … COMMIT ─┐
 *     submit ─┼─> waiting, in order ─┤                            ├─> each caller its own result
 *     submit ─┘                      └─ batch 2 ─ BEGIN … COMMIT ─┘
 *
 * There is no timer: a command that finds no batch in flight goes out in the same turn of the event loop, so a single command
 * is a batch of one. Under load, many commands share the cost of one commit (a flush to disk, some round trips, the start of
 * each statement). A second batch goes out only when it is full: a half-full batch would pay that cost again, and wait for the
 * locks of the first batch.
 *
 * With `keyOf`, a row that another transaction keeps locked delays only the commands that need it. A batch that meets a
 * lock timeout is repeated at once, without waiting for locked rows. The commands whose rows are locked are set aside.
 * There they wait, key by key, until their rows are free or they have waited too long.
 */
export class GroupCommit<Command, Result> {
  private readonly waiting: Waiting<Command, Result>[] = [];
  /** The commands whose batch is in flight. */
  private readonly flying = new Set<Waiting<Command, Result>>();
  /** By key. The key whose last run is longest ago comes first. */
  private readonly asides = new Map<number, Aside<Command, Result>>();
  private asidesRunning = 0;
  private inFlight = 0;
  private scheduled = false;
  private sweeping: NodeJS.Timeout | undefined;
  private readonly options: Required<Omit<Options<Command, Result>, 'keyOf'>> & Pick<Options<Command, Result>, 'keyOf'>;

  constructor(options: Options<Command, Result>) {
    this.options = {
      // If PostgreSQL ran out of disk or memory for a batch, a single command may still fit.
      retryAlone: (error) =>
        !(error instanceof AppError) && !isConnectionLost(error) && (!isOverloaded(error) || isOutOfRoom(error)),
      maxBatch: 64,
      weightOf: () => 1,
      maxWeight: Infinity,
      maxInFlight: 2,
      maxWaiting: 10_000,
      maxWaitMs: Infinity,
      answerWithinMs: Infinity,
      maxAside: 4,
      onBatch: () => undefined,
      onSetAside: () => undefined,
      ...options,
    };
  }

  /**
   * Adds a command to the next batch.
   * @returns its result, once the transaction of its batch has committed.
   * @throws the error of the command or of its whole batch; `SERVICE_UNAVAILABLE` if too many commands wait already, or if
   * the command takes too long.
   */
  submit(command: Command): Promise<Result> {
    if (this.waiting.length >= this.options.maxWaiting) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.waiting.push({ command, sinceMs: performance.now(), resolve, reject, isGivenUp: false });
      this.schedule();
    });
  }

  private keyOf({ command }: Waiting<Command, Result>): number {
    return this.options.keyOf?.(command) ?? 0;
  }

  /** Checks the queue once per turn of the event loop, after all requests that arrived in the turn. */
  private schedule(): void {
    if (this.scheduled) return;
    if (!this.mayFlush()) return this.sweepLater();
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.mayFlush()) void this.flush(this.takeBatch(this.waiting));
      if (this.waiting.length > 0) this.sweepLater();
    });
  }

  private mayFlush(): boolean {
    const { maxInFlight, maxBatch } = this.options;
    const enough = this.inFlight === 0 ? 1 : maxBatch;
    return this.inFlight < maxInFlight && this.waiting.length >= enough;
  }

  /** Removes the commands that have waited longest: at least one, even if it is heavier than `maxWeight`. */
  private takeBatch(queue: Waiting<Command, Result>[]): Waiting<Command, Result>[] {
    const { maxBatch, maxWeight, weightOf } = this.options;
    let weight = 0;
    let size = 0;
    for (const { command } of queue.slice(0, maxBatch)) {
      weight += weightOf(command);
      if (size > 0 && weight > maxWeight) break;
      size++;
    }
    return queue.splice(0, size);
  }

  /** Refuses commands that have waited too long, again and again while any command waits. */
  private sweepLater(): void {
    const { maxWaitMs, answerWithinMs } = this.options;
    if (this.sweeping || (maxWaitMs === Infinity && answerWithinMs === Infinity)) return;
    this.sweeping = setTimeout(() => {
      this.sweeping = undefined;
      this.refuseWaiting(this.waiting, overloaded);
      for (const { waiting } of this.asides.values()) this.refuseWaiting(waiting, lockedForTooLong);
      const latestMs = performance.now() - answerWithinMs;
      for (const each of this.flying) if (each.sinceMs <= latestMs) giveUp(each);
      const isEmpty = this.waiting.length + this.flying.size === 0;
      if (!isEmpty || [...this.asides.values()].some(({ waiting }) => waiting.length > 0)) this.sweepLater();
    }, SWEEP_MS);
    this.sweeping.unref();
  }

  private refuseWaiting(queue: Waiting<Command, Result>[], reason: () => AppError): void {
    const latestMs = performance.now() - this.options.maxWaitMs;
    const fresh = queue.findIndex(({ sinceMs }) => sinceMs > latestMs);
    for (const { reject } of queue.splice(0, fresh < 0 ? queue.length : fresh)) reject(reason());
  }

  private async flush(batch: Waiting<Command, Result>[]): Promise<void> {
    this.inFlight++;
    const now = performance.now();
    this.options.onBatch(batch.map(({ sinceMs }) => now - sinceMs));
    await this.commit(this.asides.size > 0 ? this.divert(batch) : batch, 'briefly');
    this.inFlight--;
    if (this.waiting.length > 0) this.schedule();
  }

  /** Sets aside the commands whose key already has set-aside commands. @returns the other commands. */
  private divert(batch: Waiting<Command, Result>[]): Waiting<Command, Result>[] {
    return batch.filter((each) => {
      const aside = this.asides.get(this.keyOf(each));
      if (aside) this.setAside(each);
      return !aside;
    });
  }

  /** @returns whether the batch was committed as a whole. */
  private async commit(batch: Waiting<Command, Result>[], wait: LockWait): Promise<boolean> {
    if (batch.length === 0) return true;
    for (const each of batch) this.flying.add(each);
    if (this.options.answerWithinMs < Infinity) this.sweepLater();
    try {
      const outcomes = await this.options.commit(
        batch.map(({ command }) => command),
        wait,
      );
      batch.forEach((each, index) => this.settle(each, outcomes[index]));
      return true;
    } catch (error) {
      await this.recover(batch, wait, error);
      return false;
    }
  }

  private settle(each: Waiting<Command, Result>, outcome: BatchResult<Result> | undefined): void {
    // Before the command is set aside, because it may go out again at once.
    this.flying.delete(each);
    if (outcome === undefined) each.reject(new Error('a batch answered for fewer commands than it was given'));
    else if (outcome.ok === 'locked') this.setAside(each);
    else if (outcome.ok) each.resolve(outcome.value);
    else each.reject(outcome.error);
  }

  /** Repeats or rejects the commands of a batch that failed as a whole. */
  private async recover(batch: Waiting<Command, Result>[], wait: LockWait, error: unknown): Promise<void> {
    if (isLockTimeout(error) && this.options.keyOf && wait !== 'never') {
      if (wait === 'briefly') await this.commit(batch, 'never');
      else this.putBack(batch);
    } else if (batch.length > 1 && this.options.retryAlone(error)) {
      // Only the command that broke the batch must fail.
      for (const each of batch) await this.commit([each], wait);
    } else {
      for (const each of batch) this.settle(each, refused(error));
    }
  }

  /**
   * Returns commands that did not get their locks to the front of their key's queue. Refuses commands that have waited too
   * long.
   */
  private putBack(batch: Waiting<Command, Result>[]): void {
    for (const each of batch) this.flying.delete(each);
    this.refuseWaiting(batch, lockedForTooLong);
    for (const each of batch.reverse()) this.setAside(each, 'first');
  }

  private setAside(each: Waiting<Command, Result>, at: 'first' | 'last' = 'last'): void {
    if (each.isGivenUp) return;
    const key = this.keyOf(each);
    let aside = this.asides.get(key);
    if (!aside) {
      aside = { waiting: [], isRunning: false };
      this.asides.set(key, aside);
      this.options.onSetAside(key);
    }
    if (at === 'first') aside.waiting.unshift(each);
    else aside.waiting.push(each);
    this.sweepLater();
    this.runAsides();
  }

  /** Runs set-aside keys, up to `maxAside` at once. The key whose last run is longest ago goes first. */
  private runAsides(): void {
    for (const [key, aside] of this.asides) {
      if (this.asidesRunning >= this.options.maxAside) return;
      if (!aside.isRunning && aside.waiting.length > 0) void this.runAside(key, aside);
    }
  }

  private async runAside(key: number, aside: Aside<Command, Result>): Promise<void> {
    this.asidesRunning++;
    aside.isRunning = true;
    const isFree = await this.commit(this.takeBatch(aside.waiting), 'patiently');
    aside.isRunning = false;
    this.asidesRunning--;
    // The key goes to the end of the line. If its batch was committed and no command waits, it is no longer set aside.
    this.asides.delete(key);
    if (aside.waiting.length > 0 || !isFree) this.asides.set(key, aside);
    this.runAsides();
  }
}

function giveUp<Command, Result>(each: Waiting<Command, Result>): void {
  each.isGivenUp = true;
  each.reject(databaseUnavailable());
}
