import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';

/** One answer to an order, or the reason why there was none. */
export interface Answer {
  sentAtMs: number;
  atMs: number;
  /** The status; `timeout` after 10 s; or the error of a broken connection. */
  status: number | string;
  /** Whether a 503 is the service's own, which has Retry-After. */
  isOurs: boolean;
  retryAfterMs: number;
}

/** All answers to one order of one merchant. */
export interface OrderHistory {
  merchant: number;
  reference: string;
  answers: Answer[];
  acknowledgedAtMs: number | null;
  orderNumber: string | null;
}

interface Account {
  key: string;
}

const PATIENCE_MS = 10_000;
/** The wait after an answer without Retry-After. */
const AGAIN_AFTER_MS = 1_000;

/** Merchants that order steadily. Each repeats an order until it gets a 200, and waits for the time of Retry-After before. */
export class Merchants {
  readonly histories: OrderHistory[] = [];
  private readonly open = new Set<Promise<void>>();
  private readonly agent = new Agent({ connections: 500, headersTimeout: 0, bodyTimeout: 0 });
  private count = 0;
  private timer: NodeJS.Timeout | undefined;
  private hasGivenUp = false;

  constructor(
    private readonly url: string,
    private readonly accounts: readonly Account[],
    private readonly sku: string,
  ) {}

  begin(perSecond: number): void {
    const startMs = performance.now();
    let placed = 0;
    this.timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
      for (; placed < due; placed++) this.place();
    }, 10);
  }

  /** Stops placing orders, and waits until each is acknowledged. @returns orders that are not acknowledged in time. */
  async end(withinMs: number): Promise<OrderHistory[]> {
    clearInterval(this.timer);
    await Promise.race([Promise.all(this.open), delay(withinMs, undefined, { ref: false })]);
    this.hasGivenUp = true;
    await Promise.all(this.open);
    this.hasGivenUp = false;
    return this.histories.filter(({ acknowledgedAtMs }) => acknowledgedAtMs === null);
  }

  /** Makes each merchant look for its orders, and repeat lost ones. @returns the number of lost orders. */
  async repeatLost(histories: readonly OrderHistory[]): Promise<number> {
    const lost: OrderHistory[] = [];
    for (const history of histories) if (!(await this.isThere(history))) lost.push(history);
    for (const history of lost) {
      history.acknowledgedAtMs = null;
      await this.order(history, Number(history.reference.slice('ha-'.length)));
    }
    return lost.length;
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private place(): void {
    const number = ++this.count;
    const merchant = number % this.accounts.length;
    const history: OrderHistory = {
      merchant,
      reference: `ha-${number}`,
      answers: [],
      acknowledgedAtMs: null,
      orderNumber: null,
    };
    this.histories.push(history);
    const ordering = this.order(history, number).finally(() => this.open.delete(ordering));
    this.open.add(ordering);
  }

  private async isThere({ merchant, reference }: OrderHistory): Promise<boolean> {
    const response = await fetch(`${this.url}/v1/orders/${reference}`, {
      headers: { 'x-api-key': this.accounts[merchant]?.key ?? '' },
      dispatcher: this.agent,
    });
    await response.body?.cancel();
    if (response.status !== 200 && response.status !== 404)
      throw new Error(`GET of ${reference} was answered ${response.status}`);
    return response.status === 200;
  }

  private async order(history: OrderHistory, number: number): Promise<void> {
    // A third of the units is bought slowly, so that a fault meets purchases in flight.
    const user_id = number % 3 === 0 ? 'sim-slow-300' : `player-${number}`;
    const body = JSON.stringify({ reference_id: history.reference, user_id, items: [{ sku: this.sku }] });
    while (!this.hasGivenUp) {
      const answer = await this.ask(history, body);
      history.answers.push(answer);
      if (answer.status === 200) return;
      await delay(answer.retryAfterMs);
    }
  }

  private async ask(history: OrderHistory, body: string): Promise<Answer> {
    const sentAtMs = performance.now();
    const answered = (rest: Omit<Answer, 'sentAtMs' | 'atMs'>): Answer => ({
      sentAtMs,
      atMs: performance.now(),
      ...rest,
    });
    try {
      const response = await fetch(`${this.url}/v1/orders`, {
        method: 'POST',
        headers: {
          'x-api-key': this.accounts[history.merchant]?.key ?? '',
          'content-type': 'application/json',
        },
        body,
        dispatcher: this.agent,
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const said = (await response.json()) as { order_number?: string; code?: string };
      const { status } = response;
      if (status === 200) {
        history.acknowledgedAtMs = performance.now();
        history.orderNumber = said.order_number ?? null;
      }
      const seconds = response.headers.get('retry-after');
      const isOurs = status === 503 && said.code === 'SERVICE_UNAVAILABLE' && /^\d+$/.test(seconds ?? '');
      return answered({ status, isOurs, retryAfterMs: isOurs ? Number(seconds) * 1000 : AGAIN_AFTER_MS });
    } catch (error) {
      return answered({ status: reasonOf(error), isOurs: false, retryAfterMs: AGAIN_AFTER_MS });
    }
  }
}

function reasonOf(error: unknown): string {
  if ((error as Error).name === 'TimeoutError') return 'timeout';
  const cause = (error as Error).cause as { code?: string } | undefined;
  return cause?.code ?? (error as Error).message;
}
