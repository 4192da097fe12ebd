import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** What is left of so small a body is read and thrown away, to keep the connection. */
const READ_TO_KEEP_BYTES = 64 * 1024;
/** A connection that was answered last stays open for so long: a client that is still sending must get its answer before a reset. */
const LINGER_MS = 1_000;
/** What is read meanwhile, so that a client that first sends all and then reads may get there; then nothing more is. */
const READ_BEFORE_CLOSE_BYTES = 1024 * 1024;

/** Sockets that carry their last answer: what comes on them is not looked at any more. */
const ending = new WeakSet<Duplex>();

export const isEnding = (socket: Duplex): boolean => ending.has(socket);

/** Whether a request has a body, however long. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a client waits for a 100 before it sends the body (RFC 9110, section 10.1.1). */
export function expectsContinue({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor > 0 && /(^|\W)100-continue($|\W)/i.test(headers.expect ?? '');
}

/**
 * Whether more of a request's body is to come than is worth reading for the sake of the connection. To be asked when its
 * answer begins.
 */
export function isTooMuchLeft(request: IncomingMessage): boolean {
  if (request.complete || !hasBody(request)) return false;
  // A client that got no 100 may never send it, and send its next request instead.
  if (expectsContinue(request)) return true;
  // A body in chunks does not say how long it is.
  return !(Number(request.headers['content-length']) <= READ_TO_KEEP_BYTES);
}

/** Has a request's connection end with its answer, rather than read the body to its end. */
export function endAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  ending.add(socket);
  // It may have been on its way to be unpacked.
  request.unpipe();
  readLittleMore(request);
  // What Node calls when the answer is written. Its own would end the socket at once, and what the client has sent
  // meanwhile would turn that into a reset.
  socket.destroySoon = () => {
    const end = linger(socket);
    if (request.readableEnded) end();
    else request.once('end', end);
  };
}

/** Writes a last answer to a socket that Node has handed over, and ends it. */
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
 * Says that nothing more will come, and ends the socket when the client has sent all, or some time has passed.
 * @returns what ends it before that, once the answer is out.
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
