import { customAlphabet } from './random-text.js';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBase62 = customAlphabet(BASE_62);

/** `ord_` and 16 random base-62 characters (95 bits). */
export const newOrderNumber = (): string => `ord_${randomBase62(16)}`;

/** `evt_` and 22 random base-62 characters (131 bits); also the `webhook-id` of every delivery of the event. */
export const newEventId = (): string => `evt_${randomBase62(22)}`;

/** `req_` and 20 random base-62 characters. */
export const newRequestId = (): string => `req_${randomBase62(20)}`;

/** `topup_` and 43 random base-62 characters (256 bits). */
export const newApiKey = (): string => `topup_${randomBase62(43)}`;

/** How much of an API key may be shown and stored in the clear. */
export const apiKeyPrefix = (key: string): string => key.slice(0, 12);
