/** How much sooner than after its interval a run may begin, so that workers that start together do not work in step. */
const JITTER = 0.1;

/** Runs something at once and then every so often. A run that takes longer than the interval has none beside it. */
export class RunningTask {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param run never fails. @param intervalMs at most, from the begin of a run to that of the next. */
  constructor(
    private readonly run: (stop: AbortSignal) => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  start(): void {
    if (this.stopped.signal.aborted) return;
    this.running ??= this.run(this.stopped.signal).finally(() => (this.running = undefined));
    this.timer = setTimeout(() => this.start(), this.intervalMs * (1 - JITTER * Math.random()));
  }

  /** Begins no other run, and waits for the one that runs. */
  async stop(): Promise<void> {
    this.stopped.abort();
    clearTimeout(this.timer);
    await this.running;
  }
}
