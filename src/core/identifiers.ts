import { customAlphabet } from './random-text.js';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBase62 = customAlphabet(BASE_62);

/** `ord_` and 16 random base-62 characters (95 bits). */
export const newOrderNumber = (): string => `ord_${randomBase62(16)}`;

/** `evt_` and 22 random base-62 characters (131 bits); also the `webhook-id` of every delivery of the event. */
export const newEventId = (): string => `evt_${randomBase62(22)}`;

/** `req_` and 20 random base-62 characters. */
export const newRequestId = (): string => `req_${randomBase62(20)}`;

/** What the keys of sandbox merchants begin with; no other key does. */
export const SANDBOX_KEY_START = 'topup_test_';

/**
 * `topup_`, or for a sandbox merchant `topup_test_`; the name of the cell and `_`, where the installation is one of several;
 * and 43 random base-62 characters (256 bits).
 * @param cell empty where there is only one.
 */
export const newApiKey = (sandbox = false, cell = ''): string =>
  `${sandbox ? SANDBOX_KEY_START : 'topup_'}${cell === '' ? '' : `${cell}_`}${randomBase62(43)}`;

/** What may be a key at all, of whichever cell. No part has an underscore, and no cell is named `test`: so it is read in one way. */
export const API_KEY_SHAPE = /^topup_(test_)?((?!test_)[a-z][a-z0-9]{0,11}_)?[0-9A-Za-z]{43}$/;

/** How much of an API key may be shown and stored in the clear: 6 of its random characters, and what is before them. */
export const apiKeyPrefix = (key: string): string => key.slice(0, key.lastIndexOf('_') + 7);

/** `sandbox_` and 16 random base-62 characters: the reference of money that a sandbox merchant gives itself. */
export const newSandboxReference = (): string => `sandbox_${randomBase62(16)}`;
