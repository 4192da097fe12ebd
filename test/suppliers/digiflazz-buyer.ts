import { DigiflazzSupplier, type DigiflazzSettings } from '../../src/suppliers/digiflazz/digiflazz-supplier.js';
import type { Attempt } from '../../src/suppliers/supplier-adapter.js';
import { AdapterHttp } from '../../src/suppliers/adapter-http.js';
import type { SupplierOutcome } from '../../src/suppliers/supplier-outcome.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';

/** The players that the supplier's sandbox knows. */
export const NUMBERS = {
  succeeds: '087800001230',
  fails: '087800001232',
  succeedsLater: '087800001233',
  failsLater: '087800001234',
};

export const rupiah = (amount: bigint): { micros: bigint; currency: string } => ({
  micros: amount * 1_000_000n,
  currency: 'IDR',
});

/** An attempt to buy `ml86` for a player. */
export const attempt = (reference: string, changes: Partial<Attempt> = {}): Attempt => ({
  reference,
  sku: 'ml86',
  userId: '123456789',
  serverId: '2001',
  characterId: null,
  endUserIp: null,
  playerTemplate: null,
  maxCost: null,
  expectedCost: null,
  supplierReference: null,
  isRepeat: false,
  ...changes,
});

const DEFAULTS = { testing: false, callbackUrl: null, timeoutMs: 60_000 };

/** The adapter beside a simulator of its supplier, over a real socket. */
export class DigiflazzBuyer {
  constructor(
    private readonly adapter: DigiflazzSupplier,
    readonly client: DigiflazzClient,
    private readonly changes: Partial<DigiflazzSettings>,
  ) {}

  private get settings(): DigiflazzSettings {
    const baseUrl = `${this.client.url}/v1`;
    const account = { username: USERNAME, key: this.changes.testing ? KEYS.development : KEYS.production };
    return { baseUrl, ...account, webhookSecret: null, ...DEFAULTS, ...this.changes };
  }

  send(what: Attempt): Promise<SupplierOutcome> {
    return this.adapter.send(this.settings, what);
  }

  /** Queries an attempt more than a minute after its send. */
  async askLater(what: Attempt): Promise<SupplierOutcome> {
    await this.client.aMinuteLater();
    return this.adapter.inquiry.query(this.settings, what);
  }

  balance(): ReturnType<DigiflazzSupplier['balance']> {
    return this.adapter.balance(this.settings);
  }

  probe(): ReturnType<DigiflazzSupplier['catalogue']['probe']> {
    return this.adapter.catalogue.probe(this.settings);
  }

  catalogue(): ReturnType<DigiflazzSupplier['catalogue']['read']> {
    return this.adapter.catalogue.read(this.settings);
  }

  product(sku: string): ReturnType<DigiflazzSupplier['catalogue']['readOne']> {
    return this.adapter.catalogue.readOne(this.settings, sku);
  }

  /** What the simulator received. */
  async received(path: string): Promise<Json[]> {
    const journal = await this.client.sim<Json[]>('journal');
    return journal.filter((entry) => entry.path === `/v1/${path}`);
  }
}

/** The buyers and simulators of a test file. */
export class DigiflazzShop {
  private readonly bench = new DigiflazzBench();
  private readonly http = new AdapterHttp();
  private readonly adapter = new DigiflazzSupplier(this.http);

  /** A buyer with its own simulator, which follows these readings of the documents. */
  async open(readings: Json = {}, changes: Partial<DigiflazzSettings> = {}): Promise<DigiflazzBuyer> {
    return new DigiflazzBuyer(this.adapter, await this.bench.start(readings), changes);
  }

  async clear(): Promise<void> {
    await this.bench.clear();
  }

  async close(): Promise<void> {
    await this.http.close();
  }
}
