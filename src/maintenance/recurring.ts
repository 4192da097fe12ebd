export interface RecurringOptions {
  /** Resolves with false when it must not begin at all. */
  whenReady: () => Promise<boolean>;
  intervalMs: number;
  /** @param stop aborted when the process stops: what takes long looks at it. */
  run: (stop: AbortSignal) => Promise<void>;
  onError: (error: Error) => void;
}

/** Runs something at once and then every so often. A run that takes longer than the interval has none beside it. */
export class Recurring {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: RecurringOptions) {}

  /** Begins as soon as it may. Returns at once. */
  start(): void {
    void this.options.whenReady().then((ready) => {
      if (!ready || this.stopped.signal.aborted) return;
      this.run();
      this.timer = setInterval(() => this.run(), this.options.intervalMs);
    });
  }

  /** Begins no other run, and waits for the one that runs. */
  async stop(): Promise<void> {
    this.stopped.abort();
    clearInterval(this.timer);
    await this.running;
  }

  private run(): void {
    this.running ??= this.options
      .run(this.stopped.signal)
      .catch(this.options.onError)
      .finally(() => (this.running = undefined));
  }
}
