/** Node would run a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `action` once the wall clock has reached `deadlineMs` (milliseconds since 1970). The timer does not
 * keep the process alive.
 * @returns a function that cancels the action.
 */
export function atWallClock(deadlineMs: number, action: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const runOrWait = (): void => {
    const remainingMs = deadlineMs - Date.now();
    if (remainingMs <= 0) {
      action();
      return;
    }
    timer = setTimeout(runOrWait, Math.min(remainingMs, MAX_TIMER_MS)).unref();
  };
  runOrWait();
  return () => clearTimeout(timer);
}
