/** For this long after the last input, automatic requests count as activity of the operator. */
const ATTENDED_FOR_MS = 60_000;

const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let seenAt = Date.now();

/** Starts to record when the operator last used the page. */
export function watchAttendance(page: Pick<EventTarget, 'addEventListener'>): void {
  for (const sign of SIGNS) page.addEventListener(sign, () => (seenAt = Date.now()), { passive: true });
}

/** Whether the operator has been idle for a while. Automatic requests then no longer extend the session. */
export const isUnattended = (): boolean => Date.now() - seenAt > ATTENDED_FOR_MS;
