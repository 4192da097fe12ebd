import { connect } from 'node:net';
import type { Answer } from './http.js';
import { untilServed } from './until-served.js';

/**
 * Writes bytes to the API's socket, and reads until the answer is complete or the API closes the connection. For requests that
 * no HTTP client would send. Repeated while the service is busy, as merchants do.
 */
export const sendRaw = (baseUrl: string, ...parts: (string | Buffer)[]): Promise<Answer<unknown>> =>
  untilServed(() => sendOnce(baseUrl, parts));

async function sendOnce(baseUrl: string, parts: (string | Buffer)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) resolve(text);
    });
    socket.on('end', () => resolve(text));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
  });
  for (const part of parts) socket.write(part);
  try {
    return parseAnswer(await answer);
  } finally {
    socket.destroy();
  }
}

/** Whether an answer, as latin1, is complete. */
export function isComplete(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
}

export type Head = Pick<Answer<unknown>, 'status' | 'headers'>;

/** Reads the status and the headers of an answer in latin1. */
export function parseHead(text: string): Head {
  const [statusLine = '', ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers };
}

/** The same, with its body of JSON. */
export function parseAnswer(text: string): Answer<unknown> {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  return {
    ...parseHead(text),
    body: body === '' ? null : (JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as unknown),
  };
}
