import { useEffect, type ReactNode } from 'react';
import { Button, CloseButton } from '@mantine/core';
import { useT } from '../i18n/words';
import { CheckIcon, CrossIcon } from './icons';
import { useStore } from './store';
import { dismiss, toasts, type Toast } from './toast-store';
import classes from './toasts.module.css';

export { toast, toastFailure } from './toast-store';

const SHOWN_MS = 6_000;

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
