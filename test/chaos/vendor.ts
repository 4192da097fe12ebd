import { setTimeout as delay } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process.js';
import type { SupplierWire } from './supplier-wire.js';
import type { Json, RawPurchase, VendorEntry, VendorKind } from './vendors/vendor-kind.js';

/** A step of the vendor's clock, and its time by this clock. */
export interface Moved {
  nowMs: number;
  byMs: number;
}

const ASKED_AGAIN_MS = 200;
/** Longer than any vendor of the run takes to decide a request. */
const DECIDED_WITHIN_MS = 15_000;
/** The longest wait of a vendor before it repeats a callback. */
const FINISHING_MS = 3_600_000;

/** A simulated vendor that the run controls. It may be killed like other processes, so requests to it are repeated. */
export class Vendor {
  /** @param url the simulator's own address; the service reaches it over the faulty connection. */
  constructor(
    readonly kind: VendorKind,
    private readonly url: string,
    readonly wire: SupplierWire,
    readonly process: ManagedProcess,
  ) {}

  /** The address that the service uses. */
  get baseUrl(): string {
    return `${this.wire.url}${this.kind.path}`;
  }

  /** @throws while it is killed. */
  async moveClock(byMs: number): Promise<Moved> {
    const { now_ms: nowMs } = await this.ask<{ now_ms: number }>('clock', { advance: byMs });
    return { nowMs, byMs };
  }

  setRules(rules: Json[]): Promise<unknown> {
    return this.askUntilAnswered('rules', { rules });
  }

  change(account: Json): Promise<unknown> {
    return this.askUntilAnswered('account', account);
  }

  /** Whether the account is right: with our key and enough of our money. */
  async isWell(): Promise<boolean> {
    return this.kind.isWell(await this.askUntilAnswered<Json>('account'));
  }

  /** The debits of all purchases, in millionths of its currency. */
  async debited(): Promise<bigint> {
    return microsOf((await this.askUntilAnswered<{ debited: number | string }>('account')).debited);
  }

  /** Resolves when it has decided all received requests, or after a timeout, because a killed vendor never decides some. */
  async decided(): Promise<void> {
    const deadline = performance.now() + DECIDED_WITHIN_MS;
    const isUnderway = ({ decision, at }: VendorEntry): boolean =>
      decision === 'received' && Date.parse(at) > Date.now() - DECIDED_WITHIN_MS;
    while (performance.now() < deadline && (await this.journal()).some(isUnderway)) await delay(ASKED_AGAIN_MS);
  }

  /** Moves its clock until it has no more work, and has delivered or given up all its callbacks. */
  async finish(): Promise<void> {
    while (await this.isBusy()) {
      await this.moveClock(FINISHING_MS).catch(() => undefined);
      await delay(ASKED_AGAIN_MS);
    }
  }

  private async isBusy(): Promise<boolean> {
    const callbacks = await this.askUntilAnswered<{ state: string }[]>('callbacks');
    if (callbacks.some(({ state }) => state === 'waiting')) return true;
    return (await this.purchases()).some(({ transactions }) => transactions.some(({ steps }) => steps.length > 0));
  }

  purchases(): Promise<RawPurchase[]> {
    return this.askUntilAnswered('purchases');
  }

  /** The purchases whose callbacks it gave up, because none was accepted in time. */
  async unheard(): Promise<Set<string>> {
    const callbacks = await this.askUntilAnswered<{ ref_id: string; state: string }[]>('callbacks');
    return new Set(callbacks.filter(({ state }) => state === 'given_up').map(({ ref_id }) => ref_id));
  }

  /** The number of sent callbacks. */
  async calledBack(): Promise<number> {
    return (await this.askUntilAnswered<{ attempts: object[] }[]>('callbacks')).reduce(
      (sum, { attempts }) => sum + attempts.length,
      0,
    );
  }

  journal(): Promise<VendorEntry[]> {
    return this.askUntilAnswered('journal');
  }

  private async askUntilAnswered<Answer>(path: string, body?: Json): Promise<Answer> {
    for (;;) {
      try {
        return await this.ask(path, body);
      } catch (error) {
        if (error instanceof Misunderstood) throw error;
        await delay(ASKED_AGAIN_MS);
      }
    }
  }

  private async ask<Answer>(path: string, body?: Json): Promise<Answer> {
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${this.url}/_sim/${path}`, { ...request, signal });
    if (response.status === 200) return (await response.json()) as Answer;
    throw new Misunderstood(`${this.kind.code} answered ${path} with ${response.status}: ${await response.text()}`);
  }
}

class Misunderstood extends Error {}

/** A simulator's decimal, in millionths. */
export function microsOf(amount: number | string): bigint {
  const [whole = '', fraction = ''] = String(amount).split('.');
  return BigInt(whole + fraction.padEnd(6, '0').slice(0, 6));
}
