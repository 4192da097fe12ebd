import { useRef } from 'react';

/**
 * Begins a request, and returns whether it is still the latest one. The answer to an earlier one is about something that is
 * no longer chosen, so it must not replace a later answer.
 */
export function useLatest(): () => () => boolean {
  const latest = useRef(0);
  return () => {
    latest.current += 1;
    const number = latest.current;
    return () => number === latest.current;
  };
}
