/** Whether a row is claimed by one of these processes, in SQL. */
export const claimedBy = (processes: string): string => `split_part(claimed_by, '/', 1) = ANY(${processes})`;

/**
 * How long PostgreSQL may still commit a claim after its result was lost: it executes each statement that it has
 * received. Meanwhile, the process repeats the undo.
 */
const LOST_FOR_MS = 120_000;

/**
 * Names the claims of a process, `<process>/<number>`, and remembers each claim whose result did not arrive, as after a lost
 * connection. The process did no work under such a claim. So it undoes the claim as soon as PostgreSQL answers again, and does not
 * wait for the end of the lease.
 */
export class Claims {
  private count = 0;
  /** The lost claims by name: when each began, and when its result was lost, in monotonic milliseconds. */
  private readonly lost = new Map<string, { beganAtMs: number; lostAtMs: number }>();

  constructor(private readonly process: string) {}

  /** Runs a claim under a new name. @throws the claim's error, even if PostgreSQL may have committed the claim. */
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

  /**
   * @param undo undoes the named claims that PostgreSQL committed. The oldest of these claims began `agoMs` ago.
   * @returns whether there were claims to undo.
   */
  async undoLost(undo: (names: string[], agoMs: number) => Promise<unknown>): Promise<boolean> {
    if (this.lost.size === 0) return false;
    const claims = [...this.lost];
    const nowMs = performance.now();
    const agoMs = nowMs - Math.min(...claims.map(([, { beganAtMs }]) => beganAtMs));
    await undo(
      claims.map(([name]) => name),
      agoMs,
    );
    for (const [name, { lostAtMs }] of claims) if (lostAtMs < nowMs - LOST_FOR_MS) this.lost.delete(name);
    return true;
  }
}
