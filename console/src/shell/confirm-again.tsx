import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { onConfirmationRequired } from '../api';

const Dialog = lazy(() => import('./confirm-again-dialog'));

/** Asks the operator to confirm their identity when the API requires it. */
export function ConfirmAgain(): ReactNode {
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => {
    onConfirmationRequired(() => new Promise<boolean>((resolve) => setAnswer(() => resolve)));
    return () => onConfirmationRequired(() => Promise.resolve(false));
  }, []);
  if (answer === null) return null;
  return (
    <Suspense fallback={null}>
      <Dialog
        onAnswer={(isConfirmed) => {
          setAnswer(null);
          answer(isConfirmed);
        }}
      />
    </Suspense>
  );
}
