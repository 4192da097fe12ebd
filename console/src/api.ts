import createClient from 'openapi-fetch';
import { translateNow } from './i18n/words';
import { isUnattended } from './kit/attendance';
import type { paths } from './schema';

export interface Detail {
  field?: string;
  code: string;
  message: string;
}

/** An error answer of the API. Its status is 0 when no answer arrived, also if a proxy says so. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null,
    readonly details: readonly Detail[] = [],
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }

  /** Whether a retry may succeed without a change to the request. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

export const isProblem = (error: unknown, status?: number): error is Problem =>
  error instanceof Problem && (status === undefined || error.status === status);

/** The API takes bodies only as JSON, and cookies only from this origin. */
export const client = createClient<paths>({ credentials: 'same-origin' });
client.use({
  onRequest: ({ request }) => {
    if (isUnattended()) request.headers.set('X-Unattended', 'true');
  },
});

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Shows a dialog in which the operator confirms their identity. Resolves to false when the operator cancels. */
type ConfirmAgain = () => Promise<boolean>;
let confirmAgain: ConfirmAgain = () => Promise.resolve(false);

/** Registers the dialog that asks the operator for code or password when the API requires it (console, section 4). */
export function onConfirmationRequired(ask: ConfirmAgain): void {
  confirmAgain = ask;
}

/**
 * Returns the data of an answer. Sends the request again when the API required a confirmation and the operator gave it.
 * @throws Problem
 */
export async function ask<Data>(send: () => Promise<Answer<Data>>): Promise<Data> {
  const answer = await reach(send);
  if (answer.response.ok) return answer.data as Data;
  const problem = toProblem(answer);
  if (!needsConfirmation(problem) || !(await confirmAgain())) throw problem;
  const second = await reach(send);
  if (second.response.ok) return second.data as Data;
  throw toProblem(second);
}

async function reach<Data>(send: () => Promise<Answer<Data>>): Promise<Answer<Data>> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw unanswered(null);
  }
}

const unanswered = (requestId: string | null): Problem =>
  new Problem(0, 'UNREACHABLE', translateNow('state.noAnswer'), requestId);

const needsConfirmation = ({ status, details }: Problem): boolean =>
  status === 403 && details[0]?.code === 'CONFIRMATION_REQUIRED';

interface ErrorBody {
  code: string;
  message: string;
  details?: Detail[];
}

const isErrorBody = (body: unknown): body is ErrorBody =>
  typeof body === 'object' && body !== null && 'code' in body && 'message' in body;

/** The statuses with which a proxy answers in place of the API. */
const OF_PROXIES = [502, 504];

function toProblem({ error, response }: Answer<unknown>): Problem {
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const seconds = Number.isFinite(retryAfter) ? retryAfter : null;
  if (!isErrorBody(error)) {
    if (OF_PROXIES.includes(response.status)) return unanswered(requestId);
    return new Problem(response.status, 'UNEXPECTED', response.statusText, requestId, [], seconds);
  }
  return new Problem(response.status, error.code, error.message, requestId, error.details ?? [], seconds);
}
