import { useEffect, type ReactNode } from 'react';
import { Button, CloseButton } from '@mantine/core';
import { useT } from '../i18n/words';
import { CheckIcon } from './icons';
import { createStore, useStore } from './store';
import classes from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

const SHOWN_MS = 6_000;
const toasts = createStore<readonly Toast[]>([]);
let count = 0;

/** Shows for a while what an action did, also to screen readers. @param undo reverses the action. */
export function toast(text: string, undo?: () => void): void {
  toasts.set([...toasts.get(), { id: ++count, text, undo }]);
}

const dismiss = (id: number): void => toasts.set(toasts.get().filter((each) => each.id !== id));

export function Toasts(): ReactNode {
  const shown = useStore(toasts);
  return (
    <div className={classes.region} role="status" aria-live="polite">
      {shown.map((each) => (
        <Shown key={each.id} toast={each} />
      ))}
    </div>
  );
}

function Shown({ toast: { id, text, undo } }: { toast: Toast }): ReactNode {
  const t = useT();
  useEffect(() => {
    const timer = window.setTimeout(() => dismiss(id), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [id]);
  return (
    <div className={classes.toast}>
      <CheckIcon />
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
