import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  url: string;
  connections: number;
  /** When to stop, in milliseconds from the start; absent where `count` requests are sent, however long they take. */
  durationMs?: number;
  count?: number;
  /** How many requests a second are due; absent for as many as are answered. A time counts from when its request was due. */
  perSecond?: number | undefined;
  /** The bytes of the next request, for a kept-alive connection. */
  next: () => string;
}

export interface LoadResult {
  perSecond: number;
  /** Answers by status. */
  statuses: Map<number, number>;
  /** The milliseconds until each answer. */
  times: number[];
}

/** An HTTP/1.1 request with a JSON body. */
export function httpRequest(path: string, key: string, body: string): string {
  const length = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

/**
 * Sends requests over connections that each have one in flight, and counts the answers. It has only the HTTP code that it needs,
 * because the client takes processor time from the measured server on the same machine.
 */
export async function load({
  url,
  connections,
  durationMs = Infinity,
  count = Infinity,
  perSecond = Infinity,
  next,
}: LoadOptions): Promise<LoadResult> {
  const statuses = new Map<number, number>();
  const times: number[] = [];
  let sent = 0;
  const startedMs = performance.now();
  const stopMs = startedMs + durationMs;
  const { hostname, port } = new URL(url);
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let dueMs = 0;
      const proceed = (): void => {
        const nowMs = performance.now();
        dueMs = perSecond === Infinity ? nowMs : startedMs + (sent * 1_000) / perSecond;
        if (Math.max(nowMs, dueMs) >= stopMs || sent >= count) return void socket.end(resolve);
        sent++;
        if (dueMs > nowMs) setTimeout(() => socket.write(next()), dueMs - nowMs);
        else socket.write(next());
      };
      const socket = connect(Number(port), hostname, proceed);
      socket.setNoDelay(true);
      socket.on('error', reject);
      readAnswers(socket, (status) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        times.push(performance.now() - dueMs);
        proceed();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return { perSecond: (times.length / (performance.now() - startedMs)) * 1_000, statuses, times };
}

/** Calls back once for each complete answer. All answers have a content-length. */
function readAnswers(socket: Socket, onAnswer: (status: number) => void): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const headEnd = text.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1];
      const end = headEnd + 4 + Number(length ?? 0);
      if (text.length < end) return;
      const status = Number(text.slice(9, 12));
      text = text.slice(end);
      onAnswer(status);
    }
  });
}
