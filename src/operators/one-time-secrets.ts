import { createHash, randomBytes } from 'node:crypto';
import { customAlphabet } from '../core/identifiers.js';

// Secrets that are shown once and stored as a hash. A fast hash is safe, because the secrets are random.

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A token for a link, of 32 random bytes. */
export const newLinkToken = (): string => randomBytes(32).toString('base64url');

/** The alphabet has no characters that look alike. */
const randomCode = customAlphabet('23456789abcdefghjkmnpqrstuvwxyz');
const RECOVERY_CODES = 10;

/** Ten codes such as `f3k9-q2wx-7mzr-hd4t`, of 79 bits each. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => randomCode(16).replace(/(.{4})(?=.)/g, '$1-'));

/** The form of a recovery code that is hashed. It is the same for all cases and separators. */
export const plainRecoveryCode = (typed: string): string => typed.toLowerCase().replace(/[^a-z0-9]/g, '');
