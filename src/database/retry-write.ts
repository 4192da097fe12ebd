import { setTimeout as delay } from 'node:timers/promises';

const RETRY_AFTER_MS = 500;

/**
 * Retries a write until PostgreSQL accepts it or the deadline passes.
 * @param write must be safe to repeat: a commit whose result was lost is repeated.
 * @param untilMs when to throw the last error, in monotonic milliseconds.
 * @param isWorthIt whether a retry may help after an error.
 */
export async function retryWrite<Result>(
  write: () => Promise<Result>,
  untilMs: number,
  isWorthIt: (error: unknown) => boolean = () => true,
): Promise<Result> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isWorthIt(error) || performance.now() + RETRY_AFTER_MS > untilMs) throw error;
      await delay(RETRY_AFTER_MS);
    }
  }
}
