import { randomInt } from 'node:crypto';

/** A number of nine digits, as a text. */
export const someId = (): string => String(randomInt(1e8, 1e9));
