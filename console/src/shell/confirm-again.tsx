import { useEffect, useState, type ReactNode } from 'react';
import { onConfirmationRequired } from '../api';
import { lazyPart } from '../kit/lazy-part';

const Dialog = lazyPart(async () => (await import('./confirm-again-dialog')).default);

/** Asks the operator to confirm their identity when the API requires it. */
export function ConfirmAgain(): ReactNode {
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => {
    onConfirmationRequired(() => new Promise<boolean>((resolve) => setAnswer(() => resolve)));
    return () => onConfirmationRequired(() => Promise.resolve(false));
  }, []);
  if (answer === null) return null;
  return (
    <Dialog
      onAnswer={(isConfirmed) => {
        setAnswer(null);
        answer(isConfirmed);
      }}
    />
  );
}
