import { randomBytes } from 'node:crypto';

const GENERATED_BYTES = 32;
const HINT_CHARACTERS = 8;

/** `whsec_` and the base64 of 32 random bytes, as Standard Webhooks writes secrets. */
export const generateSecret = (): string => `whsec_${randomBytes(GENERATED_BYTES).toString('base64')}`;

/** The first 8 characters and three dots (specification, section 2.3); a character is a code point. */
export const secretHint = (secret: string): string => `${[...secret].slice(0, HINT_CHARACTERS).join('')}...`;
