import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';

const LARGEST_BODY_BYTES = 64 * 1024;

/** A request that is refused with `{ code, message }`. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** A 400, which the protocol takes for a definite refusal. */
export const badRequest = (message: string): Refusal => new Refusal(400, 'BAD_REQUEST', message);

/**
 * The JSON value in the request's body.
 * @throws Refusal (400) when the body is not JSON in UTF-8 or larger than 64 KiB; the request's own error when
 * the client goes away in the middle.
 */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request);
  if (!isUtf8(body)) throw badRequest('The body is not UTF-8.');
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw badRequest('The body is not JSON.');
  }
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    // What is too much is read all the same and dropped: a client still sending would not see the answer.
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
    });
    request.on('end', () => {
      if (sizeBytes <= LARGEST_BODY_BYTES) resolve(Buffer.concat(chunks));
      else reject(badRequest(`The body is larger than ${LARGEST_BODY_BYTES} bytes.`));
    });
    request.on('error', reject);
  });
}

/** Answers with a JSON body; to a client that has gone, nothing. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/** Answers with a body that is announced as JSON, whatever it is; to a client that has gone, nothing. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
