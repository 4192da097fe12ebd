import { useEffect, type ReactNode } from 'react';
import { Button, CloseButton } from '@mantine/core';
import { useT } from '../i18n/words';
import { CheckIcon, CrossIcon } from './icons';
import { createStore, useStore } from './store';
import classes from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  /** Whether it reports a failure. */
  isBad: boolean;
  undo?: () => void;
}

const SHOWN_MS = 6_000;
const toasts = createStore<readonly Toast[]>([]);
let count = 0;

function show(added: Omit<Toast, 'id'>): void {
  // Failures stay, so a repeated one replaces itself.
  const others = toasts.get().filter(({ isBad, text }) => !isBad || text !== added.text);
  toasts.set([...others, { id: ++count, ...added }]);
}

/** Shows for a while what an action did, also to screen readers. @param undo reverses the action. */
export function toast(text: string, undo?: () => void): void {
  show({ text, isBad: false, undo });
}

/** Shows why an action failed, until the operator closes it. @param error the error, or its text. */
export function toastFailure(error: unknown): void {
  show({ text: error instanceof Error ? error.message : String(error), isBad: true });
}

const dismiss = (id: number): void => toasts.set(toasts.get().filter((each) => each.id !== id));

export function Toasts(): ReactNode {
  const shown = useStore(toasts);
  return (
    <div className={classes.region}>
      {shown
        .filter(({ isBad }) => isBad)
        .map((each) => (
          <Shown key={each.id} toast={each} />
        ))}
      {/* Failures are outside: a screen reader would read them twice. */}
      <div className={classes.list} role="status" aria-live="polite">
        {shown
          .filter(({ isBad }) => !isBad)
          .map((each) => (
            <Shown key={each.id} toast={each} />
          ))}
      </div>
    </div>
  );
}

function Shown({ toast: { id, text, isBad, undo } }: { toast: Toast }): ReactNode {
  const t = useT();
  useEffect(() => {
    if (isBad) return undefined;
    const timer = window.setTimeout(() => dismiss(id), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [id, isBad]);
  return (
    <div className={classes.toast} data-bad={isBad} role={isBad ? 'alert' : undefined}>
      {isBad ? <CrossIcon /> : <CheckIcon />}
      <span className={classes.text}>{text}</span>
      {undo && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          {t('action.undo')}
        </Button>
      )}
      <CloseButton size="sm" aria-label={t('action.close')} onClick={() => dismiss(id)} />
    </div>
  );
}
