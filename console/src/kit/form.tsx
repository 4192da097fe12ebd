import { useState, type FormEvent, type ReactNode } from 'react';
import { isProblem } from '../api';
import { useT } from '../i18n/words';
import classes from './confirm.module.css';

interface SubmitErrorProps {
  error: Error | null;
  /** Whether the form sends a password or a code, so that a 401 may mean that it is wrong. */
  hasSecret?: boolean;
  /** Whether the form changes something, which may have been done if no answer arrived. */
  mayBeDone?: boolean;
}

/** The error of a form, translated when its code is known. */
export function SubmitError({ error, hasSecret = false, mayBeDone = false }: SubmitErrorProps): ReactNode {
  const t = useT();
  if (error === null) return null;
  const [detail] = isProblem(error) ? error.details : [];
  const text = isProblem(error, 429)
    ? t('problem.tooMany')
    : isProblem(error, 401)
      ? t(hasSecret ? 'problem.refused' : 'problem.sessionEnded')
      : mayBeDone && isProblem(error, 0)
        ? t('confirm.unanswered')
        : ((detail && t.maybe(`problem.${detail.code}`)) ?? error.message);
  return (
    <p className={classes.error} role="alert">
      {text}
    </p>
  );
}

/** Sends a form, never twice at the same time, and keeps the error. */
export function useSubmit(send: () => Promise<void>): {
  error: Error | null;
  isBusy: boolean;
  submit: (event: FormEvent) => void;
} {
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await send();
    } catch (caught) {
      setError(caught instanceof Error ? caught : new Error(String(caught)));
    } finally {
      setBusy(false);
    }
  };
  return {
    error,
    isBusy,
    submit: (event) => {
      event.preventDefault();
      if (!isBusy) void run();
    },
  };
}
