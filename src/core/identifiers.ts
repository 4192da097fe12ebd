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

/** `topup_`, or for a sandbox merchant `topup_test_`, and 43 random base-62 characters (256 bits). */
export const newApiKey = (sandbox = false): string =>
  `${sandbox ? SANDBOX_KEY_START : 'topup_'}${randomBase62(43)}`;

/** How much of an API key may be shown and stored in the clear: 6 of its random characters. */
export const apiKeyPrefix = (key: string): string =>
  key.slice(0, key.startsWith(SANDBOX_KEY_START) ? SANDBOX_KEY_START.length + 6 : 12);

/** `sandbox_` and 16 random base-62 characters: the reference of money that a sandbox merchant gives itself. */
export const newSandboxReference = (): string => `sandbox_${randomBase62(16)}`;
