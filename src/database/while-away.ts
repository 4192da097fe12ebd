import { setTimeout as delay } from 'node:timers/promises';

const AGAIN_AFTER_MS = 500;

/**
 * Does what has to be written again and again while PostgreSQL is away or busy.
 * @param write must be safe to be done twice: a commit whose answer was lost is done again.
 * @param untilMs when to give up, in monotonic milliseconds; then the last error is thrown.
 * @param isWorthIt whether an error may pass.
 */
export async function writtenAtLast<Result>(
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
