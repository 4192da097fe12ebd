import { eventually } from './eventually.js';
import { checkAnswer } from './openapi-check.js';

/** An answer of the API, with its parsed body. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
  /** Whether the service answered before that it was busy. It may have done nevertheless what the request asked for. */
  isRepeated?: boolean;
}

/**
 * A merchant's client: it sends its API key with every request, and compares every answer with openapi.json. Like a merchant, it
 * repeats a request while the service is busy, which is a correct answer on a busy machine.
 */
export class Client {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string | null,
    private readonly repeats = true,
  ) {}

  /** The same client, but it sends each request once. */
  get once(): Client {
    return new Client(this.baseUrl, this.apiKey, false);
  }

  get<Body = never>(path: string, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.send('GET', path, undefined, headers);
  }

  post<Body = never>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.send('POST', path, body, headers);
  }

  patch<Body = never>(path: string, body: unknown): Promise<Answer<Body>> {
    return this.send('PATCH', path, body);
  }

  delete<Body = never>(path: string): Promise<Answer<Body>> {
    return this.send('DELETE', path);
  }

  /** Strings and bytes are sent unchanged, other values as JSON. */
  async send<Body = never>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    let sent = 0;
    const send = (): Promise<Answer<Body>> => {
      sent++;
      return this.sendOnce(method, path, body, headers);
    };
    const answer = await (this.repeats ? untilNotBusy(send) : send());
    return sent > 1 ? { ...answer, isRepeated: true } : answer;
  }

  private async sendOnce<Body>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answer<Body>> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.apiKey === null ? {} : { 'x-api-key': this.apiKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) }),
    });
    if (!response.headers.get('x-request-id')) throw new Error(`${method} ${path} was answered without X-Request-Id`);
    const answer = {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Body,
    };
    checkAnswer(method, path, answer);
    return answer;
  }
}

/** Whether the service or its console refuses the request only for now. Other refusals with 503, such as for the balance, have details. */
function isBusy({ status, headers, body }: Answer<unknown>): boolean {
  const { code, details } = (body ?? {}) as Partial<ErrorBody>;
  return status === 503 && headers.has('retry-after') && code === 'SERVICE_UNAVAILABLE' && details === undefined;
}

/** Repeats a request while the service or its console is busy. */
export const untilNotBusy = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(send, (answer) => !isBusy(answer));

/** Sends new requests until one has its answer at once. A repeated one may be answered with a replay, in a later state. */
export const untilNotRepeated = <Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
  eventually(send, ({ isRepeated }) => !isRepeated);

/** The members of an error's body. */
export interface ErrorBody {
  status: number;
  code: string;
  message: string;
  details?: { field: string; code: string; message: string }[];
}
