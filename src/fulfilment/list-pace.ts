/** A list rests for this many times as long as it took, so it takes a tenth of the time, unless {@link MAX_REST_MS} ends its rest. */
const RESTS = 9;
const MAX_REST_MS = 30_000;

/** The pace of a list that is read again and again, and may take long although it finds little. */
export class ListPace {
  private restsUntilMs = -Infinity;

  /**
   * Reads the list, unless it rests after a read that took long or failed. A full list does not rest: there may be more.
   * @param limit the number of rows in a full list.
   * @returns no rows while the list rests.
   */
  async read<Row>(limit: number, list: () => Promise<Row[]>): Promise<Row[]> {
    const beganAtMs = performance.now();
    if (beganAtMs < this.restsUntilMs) return [];
    const rows = await list().finally(() => {
      const endedAtMs = performance.now();
      this.restsUntilMs = endedAtMs + Math.min(RESTS * (endedAtMs - beganAtMs), MAX_REST_MS);
    });
    if (rows.length >= limit) this.restsUntilMs = -Infinity;
    return rows;
  }
}
