import { useState } from 'react';

/** A name for a request that must be carried out once, however often it is sent: the same as long as what asks is shown. */
export function useRequestKey(): string {
  const [key] = useState(() => {
    // Not randomUUID: browsers have that only on https.
    const bytes = window.crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  });
  return key;
}
