import { useEffect, useState, type ReactNode } from 'react';
import { onConfirmationRequired } from '../api';
import { lazyPart } from '../kit/lazy-part';

const Dialog = lazyPart(async () => (await import('./confirm-again-dialog')).default);

/** An action that waits for the operator's confirmation. */
interface Waiting {
  answer: (isConfirmed: boolean) => void;
}

/** Asks the operator to confirm their identity when the API requires it. */
export function ConfirmAgain(): ReactNode {
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  useEffect(() => {
    const ask = (answer: Waiting['answer']): void =>
      setWaiting((before) => {
        // Only one dialog can be open. The action before must not wait for ever.
        before?.answer(false);
        return { answer };
      });
    onConfirmationRequired(() => new Promise<boolean>(ask));
    return () => onConfirmationRequired(() => Promise.resolve(false));
  }, []);
  if (waiting === null) return null;
  return (
    <Dialog
      onAnswer={(isConfirmed) => {
        // A late answer of this dialog must not close the next one.
        setWaiting((now) => (now === waiting ? null : now));
        waiting.answer(isConfirmed);
      }}
    />
  );
}
