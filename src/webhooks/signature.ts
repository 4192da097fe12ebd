import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const GENERATED_BYTES = 32;
const HINT_CHARACTERS = 8;
/** Base64 of the standard alphabet with its padding, nothing else (RFC 4648, section 4). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** `whsec_` and the base64 of 32 random bytes, as Standard Webhooks writes secrets. */
export const generateSecret = (): string => PREFIX + randomBytes(GENERATED_BYTES).toString('base64');

/** The first 8 characters (code points) of a secret, and three dots (specification, section 2.3). */
export const secretHint = (secret: string): string => `${[...secret].slice(0, HINT_CHARACTERS).join('')}...`;

/**
 * The key of the signature. For a secret of `whsec_` and standard padded base64, the key is the decoded base64. For any other
 * secret, the key is its UTF-8 bytes (contract, section 4).
 */
export function signingKey(secret: string): Buffer {
  const encoded = secret.slice(PREFIX.length);
  return secret.startsWith(PREFIX) && encoded !== '' && BASE64.test(encoded)
    ? Buffer.from(encoded, 'base64')
    : Buffer.from(secret, 'utf8');
}

export interface Message {
  /** The event's id, the same for every attempt. */
  id: string;
  /** When the attempt began, in seconds since 1970. */
  timestamp: number;
  body: string;
}

/** One signature: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0). */
export function sign({ id, timestamp, body }: Message, secret: string): string {
  const mac = createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`, 'utf8');
  return `v1,${mac.digest('base64')}`;
}

/** The value of `webhook-signature`: one signature for each secret that is valid at present. */
export const signatureHeader = (message: Message, secrets: string[]): string =>
  secrets.map((secret) => sign(message, secret)).join(' ');
