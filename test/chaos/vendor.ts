import { setTimeout as delay } from 'node:timers/promises';
import type { ManagedProcess } from './managed-process.js';
import type { SupplierWire } from './supplier-wire.js';
import { VENDOR } from './vendor-plan.js';

type Json = Record<string, unknown>;

/** All that was done under one reference. */
export interface VendorPurchase {
  ref_id: string;
  sku: string;
  customer_no: string;
  rc: string;
  price_debited: number;
  times_bought: number;
  standing: number;
  pending: number;
  sends: number;
  transactions: { trx_id: string; steps: object[] }[];
}

/** A request as the vendor received it. */
export interface VendorEntry {
  n: number;
  at: string;
  path: string;
  ref_id: string | null;
  max_price: number | null;
  /** What came of it, such as `refused` where nothing is on record. */
  decision: string;
  /** Null for the first one of a reference. */
  same_body: boolean | null;
}

/** By how much the vendor's clock was moved on, and when that was by this clock. */
export interface Moved {
  nowMs: number;
  byMs: number;
}

const ASKED_AGAIN_MS = 200;
/** As long as the vendor may wait until it calls back again. */
const FINISHING_MS = 3_600_000;

/** The simulated vendor, as a test steers it: killed like anything else, it may have to be asked again. */
export class Vendor {
  /** @param url of the simulator itself; the service reaches it over the wire. */
  constructor(
    private readonly url: string,
    readonly wire: SupplierWire,
    readonly process: ManagedProcess,
  ) {}

  /** @throws while it is away */
  async moveClock(byMs: number): Promise<Moved> {
    const { now_ms: nowMs } = await this.ask<{ now_ms: number }>('clock', { advance: byMs });
    return { nowMs, byMs };
  }

  setRules(rules: Json[]): Promise<unknown> {
    return this.askUntilTold('rules', { rules });
  }

  setDeposit(rupiah: number): Promise<unknown> {
    return this.askUntilTold('account', { deposit: rupiah });
  }

  setKey(production: string): Promise<unknown> {
    return this.askUntilTold('account', { keys: { production } });
  }

  /** As it is by the vendor's own account: with our key and enough of our money. */
  async isWell(): Promise<boolean> {
    const { deposit, keys } = await this.askUntilTold<{ deposit: number; keys: { production: string } }>('account'); // prettier-ignore
    return keys.production === VENDOR.key && deposit > VENDOR.deposit / 2;
  }

  /** What is taken from the deposit for all that was bought, in rupiah. */
  async debited(): Promise<number> {
    return (await this.askUntilTold<{ debited: number }>('account')).debited;
  }

  /** Lets pass what it takes until it has nothing more to do, and everybody was told or given up. */
  async finish(): Promise<void> {
    while (await this.isBusy()) {
      await this.moveClock(FINISHING_MS).catch(() => undefined);
      await delay(ASKED_AGAIN_MS);
    }
  }

  private async isBusy(): Promise<boolean> {
    const callbacks = await this.askUntilTold<{ state: string }[]>('callbacks');
    if (callbacks.some(({ state }) => state === 'waiting')) return true;
    return (await this.purchases()).some(({ transactions }) =>
      transactions.some(({ steps }) => steps.length > 0),
    );
  }

  purchases(): Promise<VendorPurchase[]> {
    return this.askUntilTold('purchases');
  }

  journal(): Promise<VendorEntry[]> {
    return this.askUntilTold('journal');
  }

  private async askUntilTold<Answer>(path: string, body?: Json): Promise<Answer> {
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
    const answer = (await response.json()) as Answer & { message?: string };
    if (response.status !== 200) throw new Misunderstood(answer.message);
    return answer;
  }
}

class Misunderstood extends Error {}
