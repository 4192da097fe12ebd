import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The body of a request, or null when it is larger than `largestBytes`.
 * @throws the request's own error when the client goes away in the middle.
 */
export function readBody(request: IncomingMessage, largestBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    // Too large a body is read to its end and dropped: a client that is still sending would not see the answer.
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= largestBytes) chunks.push(chunk);
    });
    request.on('end', () => resolve(sizeBytes <= largestBytes ? Buffer.concat(chunks) : null));
    request.on('error', reject);
  });
}

/** Answers with a JSON body, unless the client has gone. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendText(response, status, JSON.stringify(body), headers);
}

/**
 * Answers with a body, unless the client has gone. The content type is JSON unless `headers` say otherwise, even if the
 * body is not JSON.
 */
export function sendText(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** Compares two texts in constant time, so that the time does not reveal where they differ. */
export function sameText(presented: string, expected: string): boolean {
  const [actual, wanted] = [Buffer.from(presented), Buffer.from(expected)];
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}
