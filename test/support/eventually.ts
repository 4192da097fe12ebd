import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
/** Somewhat less than a test may take, so that one that waits in vain says for what. No answer is too late before. */
const WITHIN_MS = 150_000;

/**
 * Asks again and again until the answer passes the check.
 * @returns that answer. @throws with the last answer when the time is over.
 */
export async function eventually<Value>(
  ask: () => Promise<Value> | Value,
  passes: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const value = await ask();
    if (passes(value)) return value;
    if (performance.now() > deadline) {
      const seen = JSON.stringify(value, (_key, member: unknown) =>
        typeof member === 'bigint' ? `${member}` : member,
      );
      throw new Error(`not so within ${WITHIN_MS} ms; last seen: ${seen}`);
    }
    await delay(POLL_MS);
  }
}
