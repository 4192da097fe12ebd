/** Whether a row is claimed by one of these processes, in SQL. */
export const claimedBy = (processes: string): string => `split_part(claimed_by, '/', 1) = ANY(${processes})`;

/** For so long a claim whose answer was lost may still come true: PostgreSQL carries out what it has received. */
const LOOK_FOR_MS = 120_000;

/**
 * Names the claims of a process, `<process>/<number>`, and remembers those whose answer was lost with a connection. The
 * process knows that it did nothing for them, so they can be undone as soon as PostgreSQL is back, instead of waiting
 * for the end of a lease.
 */
export class Claims {
  private count = 0;
  /** By name, since when, in monotonic milliseconds. */
  private readonly lost = new Map<string, number>();

  constructor(private readonly process: string) {}

  /** Runs a claim under a new name. @throws what it throws: then it may have come true all the same. */
  async claim<Result>(run: (name: string) => Promise<Result>): Promise<Result> {
    const name = `${this.process}/${++this.count}`;
    try {
      return await run(name);
    } catch (error) {
      this.lost.set(name, performance.now());
      throw error;
    }
  }

  /** @param undo undoes those claims of these names that have come true. */
  async undoLost(undo: (names: string[]) => Promise<unknown>): Promise<void> {
    if (this.lost.size === 0) return;
    const names = [...this.lost];
    await undo(names.map(([name]) => name));
    const latestMs = performance.now() - LOOK_FOR_MS;
    for (const [name, sinceMs] of names) if (sinceMs < latestMs) this.lost.delete(name);
  }
}
