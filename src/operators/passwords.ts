import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { codePoints } from '../core/text.js';
import { isCommonPassword } from './common-passwords.js';

const MIN_LENGTH = 12;
const MAX_LENGTH = 256;

/** argon2id with 19 MiB, 2 passes and one lane (OWASP Password Storage Cheat Sheet). */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MADE_AT_THAT_COST = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$`;

/** Different keyboards may send the same characters in different forms of Unicode. This makes the forms equal. */
const normalized = (password: string): string => password.normalize('NFKC');

export const isSamePassword = (one: string, other: string): boolean => normalized(one) === normalized(other);

export const hashPassword = (password: string): Promise<string> => hash(normalized(password), COST);

/** Whether a hash was made with other cost parameters than today's. */
export const isOutdatedHash = (passwordHash: string): boolean => !passwordHash.startsWith(MADE_AT_THAT_COST);

/** The hash to compare for an unknown account, so that the check takes the same time as for a known account. */
let decoy: Promise<string> | undefined;
const decoyHash = (): Promise<string> => (decoy ??= hashPassword(randomBytes(32).toString('hex')));

/** @param passwordHash null without a password: the answer is false and takes the same time. */
export async function isRightPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const isRight = await verify(passwordHash ?? (await decoyHash()), normalized(password));
  return isRight && passwordHash !== null;
}

/** @returns why the rules forbid a password; null if they allow it. @param email of the operator. */
export function passwordProblem(password: string, email: string): string | null {
  const length = password.length > MAX_LENGTH * 2 ? password.length : codePoints(password);
  if (length < MIN_LENGTH || length > MAX_LENGTH) return `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`;
  if (isCommonPassword(password)) return 'is one of the commonest passwords';
  const name = email.split('@', 1)[0] ?? '';
  if (name.length >= 3 && password.toLowerCase().includes(name)) return 'must not contain the name in the address';
  return null;
}
