import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { move } from './ledger.js';
import type { Attempt, Delivery } from './model.js';
import type { Store } from './store.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;
const CALLBACK_TIMEOUT_MS = 10_000;

/** Does what is due by the vendor's clock: steps of transactions, and callbacks. */
export class Scheduler {
  private timer: NodeJS.Timeout | undefined;
  private readonly underWay = new Map<number, Promise<void>>();
  private stopped = false;

  constructor(private readonly store: Store) {}

  /** To be called after whatever may have made something due, or due sooner. */
  arm(): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    const due = Math.min(
      ...Array.from(this.store.openTransactions(), ({ steps }) => steps[0]?.due_ms ?? Infinity),
      ...Array.from(this.store.openDeliveries(), (each) => (this.canGo(each) ? each.due_ms : Infinity)),
    );
    if (due === Infinity) return;
    const waitMs = Math.min(Math.max(due - this.store.now(), 0), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.tick(), waitMs).unref();
  }

  /** Takes the steps that are due and tries each callback of one transaction once, one after the other. */
  async flush(trxId: string): Promise<void> {
    this.takeSteps();
    const mine = Array.from(this.store.openDeliveries()).filter(({ trx_id }) => trx_id === trxId);
    for (const each of mine) if (each.state === 'waiting') await this.deliver(each);
    this.arm();
  }

  /** Sends one callback now. */
  async send(delivery: Delivery): Promise<Delivery> {
    this.store.commit({ deliveries: [delivery] });
    await this.deliver(delivery);
    this.arm();
    return this.store.deliveries.get(delivery.n) ?? delivery;
  }

  /** Takes the steps that are due by now; their callbacks follow. */
  run(): void {
    this.takeSteps();
    this.arm();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private tick(): void {
    this.takeSteps();
    for (const delivery of Array.from(this.store.openDeliveries())) {
      if (delivery.due_ms <= this.store.now() && this.canGo(delivery)) {
        void this.deliver(delivery).then(() => this.arm());
      }
    }
    this.arm();
  }

  private canGo({ n, state }: Delivery): boolean {
    return state === 'waiting' && !this.underWay.has(n);
  }

  private takeSteps(): void {
    for (const { trx_id } of Array.from(this.store.openTransactions())) {
      for (;;) {
        const transaction = this.store.transactions.get(trx_id);
        const [step, ...steps] = transaction?.steps ?? [];
        if (!transaction || !step || step.due_ms > this.store.now()) break;
        move(this.store, { ...transaction, steps }, step);
      }
    }
  }

  private deliver(delivery: Delivery): Promise<void> {
    const already = this.underWay.get(delivery.n);
    if (already) return already;
    const going = this.attempt(delivery).finally(() => this.underWay.delete(delivery.n));
    this.underWay.set(delivery.n, going);
    return going;
  }

  private async attempt(delivery: Delivery): Promise<void> {
    // A retry of what failed, so of an earlier attempt.
    const isNew = delivery.attempts.length > 0 && this.store.readings.retry_delivery_id === 'new';
    const sent = { ...delivery, delivery_id: isNew ? randomUUID() : delivery.delivery_id };
    const result = await post(sent, sent.from ?? this.store.account.callback_from);
    const at = new Date(this.store.now()).toISOString();
    const attempt: Attempt = { at, delivery_id: sent.delivery_id, ...result };
    const attempts = [...delivery.attempts, attempt];
    const accepted = result.status !== null && result.status >= 200 && result.status < 300;
    const waitMs = this.store.readings.retry_schedule_ms[delivery.attempts.length];
    const due_ms = this.store.now() + (waitMs ?? 0);
    const state = accepted ? 'delivered' : waitMs === undefined ? 'given_up' : 'waiting';
    this.store.commit({
      deliveries: [{ ...sent, attempts, due_ms, state }, ...(accepted ? this.released(delivery) : [])],
    });
  }

  /** What waited for another callback of the transaction to arrive first. */
  private released({ trx_id }: Delivery): Delivery[] {
    const held = Array.from(this.store.openDeliveries()).filter((each) => each.state === 'held');
    const due_ms = this.store.now();
    return held
      .filter((each) => each.trx_id === trx_id)
      .map((each) => ({ ...each, state: 'waiting' as const, due_ms }));
  }
}

function post(delivery: Delivery, from: string | null): Promise<Pick<Attempt, 'status' | 'error'>> {
  return new Promise((resolve) => {
    const failed = (error: unknown): void => resolve({ status: null, error: String(error) });
    try {
      const url = new URL(delivery.url);
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, {
        method: 'POST',
        headers: headersOf(delivery),
        agent: false,
        timeout: CALLBACK_TIMEOUT_MS,
        ...(from !== null && { localAddress: from }),
      });
      request.on('response', (response) => {
        response.resume();
        response.on('error', failed);
        response.on('end', () => resolve({ status: response.statusCode ?? null, error: null }));
      });
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', failed);
      request.end(delivery.body);
    } catch (error) {
      failed(error);
    }
  });
}

function headersOf({ body, delivery_id, event, signature }: Delivery): Record<string, string | number> {
  return {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'User-Agent': 'Digiflazz-Hookshot',
    'X-Digiflazz-Delivery': delivery_id,
    ...(event !== null && { 'X-Digiflazz-Event': event }),
    ...(signature !== null && { 'X-Hub-Signature': signature }),
  };
}
