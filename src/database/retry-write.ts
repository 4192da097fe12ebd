import { setTimeout as delay } from 'node:timers/promises';

const AGAIN_AFTER_MS = 500;

/**
 * Retries a write until PostgreSQL accepts it or the deadline passes.
 * @param write must be safe to repeat: a commit whose answer was lost is repeated.
 * @param untilMs when to give up, in monotonic milliseconds; then the last error is thrown.
 * @param isWorthIt whether an error may pass.
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
      if (!isWorthIt(error) || performance.now() + AGAIN_AFTER_MS > untilMs) throw error;
      await delay(AGAIN_AFTER_MS);
    }
  }
}
