import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/**
 * Asks again and again until the answer passes the check. The time is for machines that have much else to do.
 * @returns that answer. @throws with the last answer when the time is over.
 */
export async function eventually<Value>(
  ask: () => Promise<Value> | Value,
  passes: (value: Value) => boolean,
  withinMs = 60_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (passes(value)) return value;
    if (performance.now() > deadline) {
      const seen = JSON.stringify(value, (_key, member: unknown) =>
        typeof member === 'bigint' ? `${member}` : member,
      );
      throw new Error(`not so within ${withinMs} ms; last seen: ${seen}`);
    }
    await delay(POLL_MS);
  }
}
