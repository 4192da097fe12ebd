import { connect } from 'node:net';
import { eventually } from './eventually.js';
import type { Answer } from './http.js';
import { isComplete, parseAnswer, parseHead, type Head } from './raw-http.js';

const CHUNK_BYTES = 16 * 1024;
const piece = 'x'.repeat(CHUNK_BYTES);
const chunk = `${CHUNK_BYTES.toString(16)}\r\n${piece}\r\n`;

/** Repeats requests while the service is busy, as merchants do. */
const untilServed = <Result>(send: () => Promise<Result>, answers: (result: Result) => Head[]): Promise<Result> =>
  eventually(send, (result) => answers(result).every(({ status }) => status !== 503));

/** A request may take 60 s to arrive. Connections here must end earlier, for another reason. */
const ENDS_WITHIN_MS = 55_000;

export interface Upload {
  answer: Head;
  /** The bytes that the server, and the buffers between, took until the connection ended. */
  sentBytes: number;
}

/**
 * Sends a request with an endless body as fast as the server takes it, also after the answer, until the server ends the
 * connection.
 * @param head the request line and headers, without those that frame the body.
 * @throws if the server does not stop reading, or ends the connection before its answer was read.
 */
export function uploadEndlessly(baseUrl: string, ...head: string[]): Promise<Upload> {
  return upload(baseUrl, [...head, 'Transfer-Encoding: chunked'], chunk);
}

/** The same, with a body of an announced length of one gibibyte. */
export function uploadGibibyte(baseUrl: string, ...head: string[]): Promise<Upload> {
  return upload(baseUrl, [...head, `Content-Length: ${2 ** 30}`], piece);
}

const upload = (baseUrl: string, head: string[], bytes: string): Promise<Upload> =>
  untilServed(
    () => uploadOnce(baseUrl, head, bytes),
    ({ answer }) => [answer],
  );

function uploadOnce(baseUrl: string, head: string[], bytes: string): Promise<Upload> {
  const { hostname, port } = new URL(baseUrl);
  // Half-open, so that the client can still send after the server has ended its side.
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    let text = '';
    const overdue = setTimeout(() => {
      reject(new Error(`${socket.bytesWritten} bytes were taken, and more would be; answered: ${text}`));
      socket.destroy();
    }, ENDS_WITHIN_MS);
    const send = (): void => {
      while (socket.writable && socket.write(bytes));
    };
    socket.on('drain', send);
    socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
    // The test waits for the reset that ends the sending.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(overdue);
      if (text === '') reject(new Error('the connection ended without an answer'));
      else resolve({ answer: parseHead(text), sentBytes: socket.bytesWritten });
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    send();
  });
}

/**
 * Sends requests one after another on one connection, each after the answer to the one before.
 * @param requests each as parts, which are written one by one.
 * @returns the answers: fewer than requests if the server ended the connection.
 */
export const onOneConnection = (baseUrl: string, ...requests: string[][]): Promise<Answer<unknown>[]> =>
  untilServed(
    () => onOneConnectionOnce(baseUrl, requests),
    (answers) => answers,
  );

async function onOneConnectionOnce(baseUrl: string, requests: string[][]): Promise<Answer<unknown>[]> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  const answers: Answer<unknown>[] = [];
  try {
    for (const parts of requests) {
      const answer = nextAnswer(socket);
      for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
      const text = await answer;
      if (text === '') break;
      answers.push(parseAnswer(text));
    }
  } finally {
    socket.destroy();
  }
  return answers;
}

function nextAnswer(socket: ReturnType<typeof connect>): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const take = (data: Buffer): void => {
      text += data.toString('latin1');
      if (isComplete(text)) done();
    };
    const done = (): void => {
      socket.off('data', take);
      socket.off('close', done);
      resolve(text);
    };
    socket.on('data', take);
    socket.on('close', done);
    socket.on('error', () => undefined);
  });
}

/** Sends the head of a request, and waits for its first answer, which may be 100 Continue. */
export const firstAnswer = (baseUrl: string, ...head: string[]): Promise<Head> =>
  untilServed(
    () => firstAnswerOnce(baseUrl, head),
    (answer) => [answer],
  );

function firstAnswerOnce(baseUrl: string, head: string[]): Promise<Head> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      socket.destroy();
      resolve(parseHead(text));
    });
    socket.on('error', reject);
  });
}
