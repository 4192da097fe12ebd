import { useRef, useState } from 'react';

function newRequestKey(): string {
  // Browsers offer randomUUID only on https.
  const bytes = window.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * An idempotency key for a request. It stays the same while the component is mounted and the request does not change.
 * @param request the content of the request. Another content gets another key.
 */
export function useRequestKey(request: object): string {
  const [key] = useRequestKeys(request);
  return key;
}

/**
 * Like `useRequestKey`, for a request whose content is known only when it is sent, such as the reason that a dialog asks for.
 * The API refuses another content under the same key.
 */
export function useLateRequestKey(): (request: object) => string {
  const made = useRef({ content: '', key: '' });
  return (request) => {
    const content = JSON.stringify(request);
    if (made.current.content !== content) made.current = { content, key: newRequestKey() };
    return made.current.key;
  };
}

/** Like `useRequestKey`, for requests that an operator may repeat on purpose. `next` makes a new key. */
export function useRequestKeys(request: object): [key: string, next: () => void] {
  const content = JSON.stringify(request);
  const make = (): { content: string; key: string } => ({ content, key: newRequestKey() });
  const [made, setMade] = useState(make);
  if (made.content !== content) setMade(make());
  return [made.key, () => setMade(make())];
}
