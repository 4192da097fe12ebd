import { createStore } from './store';

export interface Toast {
  id: number;
  text: string;
  /** Whether it reports a failure. */
  isBad: boolean;
  undo?: () => void;
}

/** More messages than these would not fit the screen. */
const MAX_SHOWN = 5;
export const toasts = createStore<readonly Toast[]>([]);
let count = 0;

function show(added: Omit<Toast, 'id'>): void {
  // Failures stay, so a repeated one replaces itself.
  const others = toasts.get().filter(({ isBad, text }) => !isBad || text !== added.text);
  toasts.set([...others, { id: ++count, ...added }].slice(-MAX_SHOWN));
}

/** For the end of a session: messages may name what the next operator may not see. */
export const clearToasts = (): void => toasts.set([]);

/** Shows for a while what an action did, also to screen readers. @param undo reverses the action. */
export function toast(text: string, undo?: () => void): void {
  show({ text, isBad: false, undo });
}

/** Shows why an action failed, until the operator closes it. @param error the error, or its text. */
export function toastFailure(error: unknown): void {
  show({ text: error instanceof Error ? error.message : String(error), isBad: true });
}

export const dismiss = (id: number): void => toasts.set(toasts.get().filter((each) => each.id !== id));
