/** The share of the interval by which a run may begin sooner, so that workers that start together do not run together. */
const JITTER = 0.1;

/** Runs a function at once and then at an interval, one run at a time. */
export class RunningTask {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param run must not fail. @param intervalMs at most, from one start to the next. A longer run delays the next start. */
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
