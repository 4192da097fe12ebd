import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** Up to this size of a body, the server reads and drops the unread rest, so that the connection can serve further requests. */
const READ_TO_KEEP_BYTES = 64 * 1024;
/** How long a connection may stay open after its last answer. An earlier end would reset a client that still sends. */
const LINGER_MS = 1_000;
/** How much the server may still read before it closes: some clients read no answer before they sent the whole body. */
const READ_BEFORE_CLOSE_BYTES = 1024 * 1024;

/** Sockets whose last answer has begun. The server ignores their further input. */
const ending = new WeakSet<Duplex>();

export const isEnding = (socket: Duplex): boolean => ending.has(socket);

/** Whether the headers announce a body. A chunked body may still be empty. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a client waits for a 100 before it sends the body (RFC 9110, section 10.1.1). */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && /(^|\W)100-continue($|\W)/i.test(headers.expect ?? '');
}

/**
 * Whether to close the connection instead of reading the rest of the body, which is long, of unknown length, or perhaps never
 * sent. Call this when the answer begins.
 */
export function isTooMuchLeft(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  // A client that got no 100 (Continue) may leave out the body and send its next request.
  if (expectsContinue(request)) return true;
  // A chunked body has no known length.
  return !(Number(request.headers['content-length']) <= READ_TO_KEEP_BYTES);
}

/** Makes a connection end with the answer. Reads and drops only a limited part of the rest of the body. */
export function endAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  ending.add(socket);
  // The body may be piped into a decompressor.
  request.unpipe();
  readLittleMore(request);
  // Node calls this function when it has written the answer. Node's own version would destroy the socket, and a client that still
  // sends would get a reset.
  socket.destroySoon = () => {
    const end = linger(socket);
    if (request.readableEnded) end();
    else request.once('end', end);
  };
}

/** Writes a last answer to a socket that Node no longer manages, and ends the socket. */
export function endWith(socket: Duplex, answer: string): void {
  ending.add(socket);
  // Node no longer listens on this socket: an error without a listener would end the process.
  socket.on('error', () => socket.destroy());
  socket.removeAllListeners('data');
  readLittleMore(socket);
  socket.write(answer);
  linger(socket);
}

function readLittleMore(stream: Readable): void {
  let left = READ_BEFORE_CLOSE_BYTES;
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) stream.pause();
  });
  stream.resume();
}

/**
 * Half-closes the socket. Destroys it when the answer is sent and the client has closed its side, or after {@link LINGER_MS}.
 * @returns a function that destroys it as soon as the answer is sent, without waiting for the client.
 */
function linger(socket: Duplex): () => void {
  const destroy = (): void => void socket.destroy();
  const end = (): void => void (socket.writableFinished ? destroy() : socket.once('finish', destroy));
  socket.end();
  const overdue = setTimeout(destroy, LINGER_MS);
  socket.once('end', end);
  socket.once('close', () => clearTimeout(overdue));
  return end;
}
