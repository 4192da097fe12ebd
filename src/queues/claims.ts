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
  /** By name: when the claim began, and when it was lost, in monotonic milliseconds. */
  private readonly lost = new Map<string, { beganAtMs: number; lostAtMs: number }>();

  constructor(private readonly process: string) {}

  /** Runs a claim under a new name. @throws what it throws: then it may have come true all the same. */
  async claim<Result>(run: (name: string) => Promise<Result>): Promise<Result> {
    const name = `${this.process}/${++this.count}`;
    const beganAtMs = performance.now();
    try {
      return await run(name);
    } catch (error) {
      this.lost.set(name, { beganAtMs, lostAtMs: performance.now() });
      throw error;
    }
  }

  /** @param undo undoes those claims of these names that have come true; the first of them began so long ago. */
  async undoLost(undo: (names: string[], agoMs: number) => Promise<unknown>): Promise<void> {
    if (this.lost.size === 0) return;
    const claims = [...this.lost];
    const nowMs = performance.now();
    const agoMs = nowMs - Math.min(...claims.map(([, { beganAtMs }]) => beganAtMs));
    await undo(
      claims.map(([name]) => name),
      agoMs,
    );
    for (const [name, { lostAtMs }] of claims) if (lostAtMs < nowMs - LOOK_FOR_MS) this.lost.delete(name);
  }
}
