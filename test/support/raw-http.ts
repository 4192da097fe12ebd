import { connect } from 'node:net';
import type { Answer } from './http.js';

/**
 * Writes bytes to the API's socket as they are, and reads what it answers until it closes the connection or the
 * answer is complete. For what no HTTP client would send.
 */
export async function sendRaw(baseUrl: string, ...parts: (string | Buffer)[]): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setTimeout(10_000, () =>
      reject(new Error(`no whole answer in 10 s; so far: ${JSON.stringify(text)}`)),
    );
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (isComplete(text)) resolve(text);
    });
    socket.on('end', () => resolve(text));
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(text)));
  });
  for (const part of parts) socket.write(part);
  try {
    return parse(await answer);
  } finally {
    socket.destroy();
  }
}

function isComplete(text: string): boolean {
  const [head = '', body] = text.split('\r\n\r\n');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
}

function parse(text: string): Answer<unknown> {
  const at = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, at).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = text.slice(at + 4);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: body === '' ? null : (JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as unknown),
  };
}
