import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const MAX_POLL_MS = 200;
/** A little less than the timeout of a test, so that a vain wait fails with its last answer. */
const WITHIN_MS = 150_000;

/**
 * Calls `read` again and again until its answer passes the check.
 * @returns that answer. @throws with the last answer after the timeout.
 */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  passes: (value: Value) => boolean,
): Promise<Value> {
  const beganAtMs = performance.now();
  for (;;) {
    const value = await read();
    if (passes(value)) return value;
    const waitedMs = performance.now() - beganAtMs;
    if (waitedMs > WITHIN_MS) {
      const seen = JSON.stringify(value, (_key, member: unknown) =>
        typeof member === 'bigint' ? `${member}` : member,
      );
      throw new Error(`not so within ${WITHIN_MS} ms; last seen: ${seen}`);
    }
    // Reads take processor time from what they wait for. The longer the wait, the less a longer pause adds to it.
    await delay(Math.min(POLL_MS + waitedMs / 10, MAX_POLL_MS));
  }
}
