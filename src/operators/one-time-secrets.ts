import { createHash, randomBytes } from 'node:crypto';
import { customAlphabet } from '../core/identifiers.js';

// Secrets that are shown once and kept as a hash: they are random, so that no slow hash is needed.

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** 32 random bytes, for a link. */
export const newLinkToken = (): string => randomBytes(32).toString('base64url');

/** Without characters that look like others. */
const randomCode = customAlphabet('23456789abcdefghjkmnpqrstuvwxyz');
const RECOVERY_CODES = 10;

/** Ten codes such as `f3k9-q2wx-7mzr-hd4t`, of 79 bits each. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => randomCode(16).replace(/(.{4})(?=.)/g, '$1-'));

/** As it is hashed, however it was typed. */
export const plainRecoveryCode = (typed: string): string => typed.toLowerCase().replace(/[^a-z0-9]/g, '');
