import { useEffect, useRef, useState, type RefObject } from 'react';

/** After this time without an answer, a dialog can be closed all the same. */
const LOCKED_FOR_MS = 10_000;

/** Whether a dialog must stay open, because its request can't be taken back and its answer must find the dialog open. */
export function useIsLocked(isBusy: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = window.setTimeout(() => setSlow(true), LOCKED_FOR_MS);
    return () => {
      window.clearTimeout(timer);
      setSlow(false);
    };
  }, [isBusy]);
  return isBusy && !isSlow;
}

/** Whether the dialog is still there. When it left with its page, closing it would close a dialog of another page. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}
