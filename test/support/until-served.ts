import { eventually } from './eventually.js';
import type { Answer } from './http.js';

/**
 * Sends a request again for as long as it is answered that the service is busy, as its senders do: on a machine with
 * much else to do that is a good answer. No other 503 has Retry-After, so a lack of money is not asked about again.
 */
export const untilServed = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(send, ({ status, headers }) => status !== 503 || !headers.has('retry-after'));
