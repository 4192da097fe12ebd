import { backoffMs, reasonOf, retryAfterMs, sleep } from '../backoff.js';
import { importKey, sign } from '../signature.js';
import type { TopupEvent } from '../types.js';

/** The values of the service's own deliveries. */
const TIMEOUT_MS = 15_000;
const RETRIES = 3;
/** The longest `Retry-After` that is respected. The service itself waits up to an hour. */
const MAX_WAIT_MS = 60_000;

type Outcome =
  { what: 'answered'; status: number; retryAfterMs: number | null } | { what: 'failed' | 'unreachable'; why: string };

/** Sends events to the target, signed, one after the other. */
export class Forwarder {
  private readonly key: ReturnType<typeof importKey>;

  constructor(
    private readonly target: string,
    secret: string,
    private readonly print: (line: string) => void,
  ) {
    this.key = importKey(secret);
  }

  /**
   * Sends an event until the target answers 2xx. It retries a refused event three times and then skips it. While nothing listens
   * at the target, it waits, because the target is probably being restarted.
   * @throws the reason of the signal
   */
  async forward(event: TopupEvent, signal: AbortSignal): Promise<void> {
    let isWaiting = false;
    for (let retries = 0, waits = 0; ;) {
      const startedAt = performance.now();
      const outcome = await this.attempt(event, signal);
      const took = Math.round(performance.now() - startedAt);
      if (outcome.what === 'unreachable') {
        if (!isWaiting) this.say(event, `${outcome.why}: waiting until a server listens at ${this.target}`);
        isWaiting = true;
        await sleep(backoffMs(waits++), signal);
        continue;
      }
      isWaiting = false;
      this.say(
        event,
        outcome.what === 'answered' ? `${outcome.status} in ${took} ms` : `${outcome.why} after ${took} ms`,
      );
      if (isDone(outcome)) return;
      if (retries === RETRIES) {
        this.say(event, 'skipped: continuing with the next event');
        return;
      }
      const asked = outcome.what === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
      await sleep(Math.max(backoffMs(retries++), Math.min(asked, MAX_WAIT_MS)), signal);
    }
  }

  private say({ event, id }: TopupEvent, what: string): void {
    this.print(`${new Date().toISOString().slice(11, 19)}  ${event}  ${id}  ->  ${what}`);
  }

  private async attempt(event: TopupEvent, signal: AbortSignal): Promise<Outcome> {
    // Serialised again, the event has the same bytes as in a webhook.
    const body = new TextEncoder().encode(JSON.stringify(event));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': await sign(await this.key, event.id, timestamp, body),
      'content-type': 'application/json',
      'user-agent': 'order-topup-listen',
    };
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(this.target, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      // An unread answer would keep the connection open.
      await response.arrayBuffer().catch(() => undefined);
      const asked = response.headers.get('retry-after');
      return { what: 'answered', status: response.status, retryAfterMs: retryAfterMs(asked) };
    } catch (error) {
      if (signal.aborted) throw reasonOf(signal);
      return timeout.aborted ? { what: 'failed', why: 'no answer' } : toFailure(error);
    }
  }
}

/** A 410 must not be retried. */
const isDone = (outcome: Outcome): boolean =>
  outcome.what === 'answered' && ((outcome.status >= 200 && outcome.status < 300) || outcome.status === 410);

function toFailure(error: unknown): Outcome {
  const { code = 'the connection failed' } = ((error as Error).cause ?? {}) as { code?: string };
  const isUnreachable = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code);
  return { what: isUnreachable ? 'unreachable' : 'failed', why: code };
}
