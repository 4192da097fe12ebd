import { isConnectionLost, isOverloaded } from '../../src/core/postgres-errors.js';
import { eventually } from './eventually.js';
import type { Answer } from './http.js';

/**
 * Sends a request again for as long as it is answered that the service is busy, as its senders do: on a machine with
 * much else to do that is a good answer. No other 503 has Retry-After, so a lack of money is not asked about again.
 */
export const untilServed = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(send, ({ status, headers }) => status !== 503 || !headers.has('retry-after'));

/** Does the same with a call of a service, which throws what the API answers. What it does twice must count once. */
export async function untilDone<Result>(work: () => Promise<Result>): Promise<Result> {
  const attempt = (): Promise<{ result: Result } | string> =>
    work().then(
      (result) => ({ result }),
      (error: Error) => {
        if (isBusy(error)) return error.message;
        throw error;
      },
    );
  const done = await eventually(attempt, (outcome) => typeof outcome !== 'string');
  return (done as { result: Result }).result;
}

const isBusy = (error: Error): boolean =>
  isConnectionLost(error) ||
  isOverloaded(error) ||
  (error as { retryAfterSeconds?: number }).retryAfterSeconds !== undefined;
