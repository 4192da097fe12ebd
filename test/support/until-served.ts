import type { ApiError } from '../../sdk/typescript/src/index.js';
import { isConnectionLost, isOverloaded } from '../../src/core/postgres-errors.js';
import { LocksNotFree } from '../../src/database/partitions/brief-lock.js';
import { eventually } from './eventually.js';
import type { Answer } from './http.js';

/**
 * Repeats a request while the service, or a vendor that it needs, is busy, as merchants do. A refusal for the balance is not repeated:
 * it has no Retry-After. `Client` itself repeats requests, but not for vendors.
 */
export const untilServed = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(send, ({ status, headers }) => status !== 503 || !headers.has('retry-after'));

/**
 * The same for /readyz among other paths: on a busy machine, PostgreSQL may answer too late for it. A process that is not ready
 * stays so, so that the wait for it is in vain.
 */
export const fetchServed = (url: string, init?: RequestInit): Promise<Response> =>
  eventually(
    () => fetch(url, init),
    ({ status }) => status !== 503,
  );

/**
 * The same for a call of a service's method, which throws the API's error, and for calls of the SDK, which repeats only those that
 * cannot have a second effect. A repetition must have no effect on the test.
 */
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

/** Whether the SDK threw the error because of the service. Other refusals with 503, such as for the balance, have details. */
const isServiceBusy = ({ status, details }: Partial<ApiError>): boolean => status === 503 && details?.length === 0;

const isBusy = (error: Error): boolean =>
  isConnectionLost(error) ||
  isOverloaded(error) ||
  error instanceof LocksNotFree ||
  isServiceBusy(error as Partial<ApiError>) ||
  (error as { retryAfterSeconds?: number }).retryAfterSeconds !== undefined;
