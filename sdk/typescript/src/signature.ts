const PREFIX = 'whsec_';
/** Base64 of the standard alphabet with its padding, nothing else (RFC 4648, section 4). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** `whsec_` and base64 are decoded; any other secret signs with its UTF-8 bytes. */
function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || encoded === '' || !BASE64.test(encoded)) return utf8(secret);
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

export const importKey = (secret: string): Promise<SigningKey> =>
  crypto.subtle.importKey('raw', bytesOf(secret), ALGORITHM, false, ['sign']);

/** `v1,` and the base64 of the HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0). */
export async function sign(key: SigningKey, id: string, timestamp: string, body: Uint8Array): Promise<string> {
  const head = utf8(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const mac = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, signed));
  return `v1,${btoa(String.fromCharCode(...mac))}`;
}

/** Compares in constant time, so that the time does not reveal a signature byte by byte. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let index = 0; index < one.length; index++)
    difference |= one.charCodeAt(index) ^ other.charCodeAt(index % Math.max(other.length, 1));
  return difference === 0;
}
