/** For so long after somebody did something, what the page asks by itself counts as asked by them. */
const ATTENDED_FOR_MS = 60_000;

const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let seenAt = Date.now();

/** Notes from now on when somebody does something at the page. */
export function watchAttendance(page: Pick<EventTarget, 'addEventListener'>): void {
  for (const sign of SIGNS) page.addEventListener(sign, () => (seenAt = Date.now()), { passive: true });
}

/** Whether nobody has done anything for a while: what refreshes by itself then keeps nobody signed in. */
export const isUnattended = (): boolean => Date.now() - seenAt > ATTENDED_FOR_MS;
