import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Attempt, Delivery, Kinds } from './model.js';
import type { Courier, Vendor } from './vendor.js';

const MAX_TIMER_MS = 2 ** 31 - 1;
const CALLBACK_TIMEOUT_MS = 10_000;

/** Takes the steps of purchases and sends the callbacks that are due by the vendor's clock. */
export class Scheduler<K extends Kinds> implements Courier {
  private timer: NodeJS.Timeout | undefined;
  private readonly underWay = new Map<number, Promise<void>>();
  private stopped = false;

  constructor(private readonly vendor: Vendor<K>) {}

  arm(): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    const due = Math.min(
      ...Array.from(this.store.openTransactions(), ({ steps }) => steps[0]?.due_ms ?? Infinity),
      ...Array.from(this.store.openDeliveries(), (each) => (this.canGo(each) ? each.due_ms : Infinity)),
    );
    if (due === Infinity) return;
    const waitMs = Math.min(Math.max(due - this.store.now(), 0), MAX_TIMER_MS);
    this.timer = setTimeout(() => this.tick(), waitMs).unref();
  }

  /** Takes the steps that are due and tries each callback of one purchase once, one after the other. */
  async flush(trxId: string): Promise<void> {
    this.takeSteps();
    const mine = Array.from(this.store.openDeliveries()).filter(({ trx_id }) => trx_id === trxId);
    for (const each of mine) if (each.state === 'waiting') await this.deliver(each);
    this.arm();
  }

  async send(delivery: Delivery): Promise<Delivery> {
    this.keep([delivery]);
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

  private get store(): Vendor<K>['store'] {
    return this.vendor.store;
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
        this.vendor.take({ ...transaction, steps }, step);
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
    // After an earlier attempt, this is a retry.
    const sent = delivery.attempts.length > 0 ? this.vendor.again(delivery) : delivery;
    const result = await post(this.vendor.outgoing(sent), sent.from ?? this.store.account.callback_from);
    const attempts = [...delivery.attempts, { at: new Date(this.store.now()).toISOString(), ...result }];
    const isAccepted = this.vendor.isAccepted(result.status, result.body ?? '');
    const waitMs = this.store.readings.retry_schedule_ms[delivery.attempts.length];
    const due_ms = this.store.now() + (waitMs ?? 0);
    const state = isAccepted ? 'delivered' : waitMs === undefined ? 'given_up' : 'waiting';
    this.keep([{ ...sent, attempts, due_ms, state }, ...(isAccepted ? this.released(delivery) : [])]);
  }

  /** The callbacks that waited until another one of the purchase was delivered. */
  private released({ trx_id }: Delivery): Delivery[] {
    const held = Array.from(this.store.openDeliveries()).filter((each) => each.state === 'held');
    const due_ms = this.store.now();
    return held
      .filter((each) => each.trx_id === trx_id)
      .map((each) => ({ ...each, state: 'waiting' as const, due_ms }));
  }

  private keep(deliveries: readonly Delivery[]): void {
    this.store.commit({ deliveries });
  }
}

function post(delivery: Delivery, from: string | null): Promise<Omit<Attempt, 'at'>> {
  return new Promise((resolve) => {
    const failed = (error: unknown): void => resolve({ status: null, body: null, error: String(error) });
    try {
      const url = new URL(delivery.url);
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, {
        method: 'POST',
        headers: { ...delivery.headers, 'Content-Length': Buffer.byteLength(delivery.body) },
        agent: false,
        timeout: CALLBACK_TIMEOUT_MS,
        ...(from !== null && { localAddress: from }),
      });
      request.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('error', failed);
        response.on('end', () => resolve({ status: response.statusCode ?? null, body, error: null }));
      });
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      request.on('error', failed);
      request.end(delivery.body);
    } catch (error) {
      failed(error);
    }
  });
}
