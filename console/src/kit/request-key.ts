import { useState } from 'react';

function newRequestKey(): string {
  // Not randomUUID: browsers have that only on https.
  const bytes = window.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * A name for a request that must be carried out once, however often it is sent: the same as long as what asks is shown.
 * @param asked what is asked for: something else is another request.
 */
export function useRequestKey(asked: object): string {
  const [key] = useRequestKeys(asked);
  return key;
}

/** The same for what may be asked for again: the second part gives the next request a name of its own. */
export function useRequestKeys(asked: object): [key: string, next: () => void] {
  const question = JSON.stringify(asked);
  const make = (): { question: string; key: string } => ({ question, key: newRequestKey() });
  const [made, setMade] = useState(make);
  if (made.question !== question) setMade(make());
  return [made.key, () => setMade(make())];
}
