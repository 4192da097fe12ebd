import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimulatorConfig } from '../../tools/simulators/common/config.js';
import type { RunningSimulator } from '../../tools/simulators/common/simulator.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

export type Json = Record<string, unknown>;

/** The simulator's record of one reference, at any vendor. */
export interface Purchase extends Json {
  ref_id: string;
  times_bought: number;
  standing: number;
  pending: number;
  sends: number;
  transactions: Json[];
}

/** Purchases stay pending for longer than a test needs for its steps, also on a busy machine, unless it moves the seller's clock. */
const SETTLE_AFTER_MS = 20_000;

/** Readings of a vendor that repeats a callback until it is accepted: at first, the service may be too busy for it. */
export const REPEATS_CALLBACKS: Json = { retry_schedule_ms: Array.from({ length: 100 }, () => 1_000) };

/** Controls a simulator. The client of each vendor also sends the requests of the vendor's clients. */
export class SimulatorClient {
  constructor(readonly url: string) {}

  /** A request to the control surface; a body makes it a POST. @throws with the simulator's error. */
  async sim<Result = Json>(path: string, body?: Json, method = body ? 'POST' : 'GET'): Promise<Result> {
    const response = await fetch(`${this.url}/_sim/${path}`, { method, body: body && JSON.stringify(body) });
    const result = (await response.json()) as Result & { message?: string };
    if (response.status !== 200) throw new Error(result.message);
    return result;
  }

  async purchase<Found extends Purchase = Purchase>(refId: string): Promise<Found> {
    const [found] = await this.sim<Found[]>(`purchases?ref_id=${refId}`);
    if (found === undefined) throw new Error(`nothing was bought under ${refId}`);
    return found;
  }

  async journal(refId: string): Promise<Json[]> {
    return this.sim<Json[]>(`journal?ref_id=${refId}`);
  }

  /** Moves the seller's clock to after the end of a pending purchase. */
  async untilSettled(): Promise<void> {
    await this.sim('clock', { advance: SETTLE_AFTER_MS });
  }
}

/** The simulators of one vendor and the receivers of a test, in the test's process. `clear` stops them. */
export class SimulatorBench<Client extends SimulatorClient> {
  private readonly simulators: RunningSimulator[] = [];
  private readonly receivers: WebhookReceiver[] = [];
  private readonly directories: string[] = [];

  constructor(
    private readonly run: (config: SimulatorConfig) => Promise<RunningSimulator>,
    private readonly client: new (url: string) => Client,
    private readonly usual: Json = {},
  ) {}

  async start(readings: Json = {}, account: Json = {}): Promise<Client> {
    const where = { port: 0, host: '127.0.0.1', dataDir: this.directory() };
    const simulator = await this.run({ ...where, readings: { ...this.usual, ...readings }, account });
    this.simulators.push(simulator);
    return new this.client(simulator.url);
  }

  async receiver(): Promise<WebhookReceiver> {
    const receiver = await new WebhookReceiver('callbacks of a vendor').listen();
    this.receivers.push(receiver);
    return receiver;
  }

  directory(): string {
    const directory = mkdtempSync(join(tmpdir(), 'simulator-'));
    this.directories.push(directory);
    return directory;
  }

  async clear(): Promise<void> {
    await Promise.all(this.simulators.splice(0).map((simulator) => simulator.stop()));
    await Promise.all(this.receivers.splice(0).map((receiver) => receiver.close()));
    for (const directory of this.directories.splice(0)) rmSync(directory, { recursive: true });
  }
}

/** The same of a vendor that sells top-ups and codes. */
export class SellerBench<Client extends SimulatorClient> extends SimulatorBench<Client> {
  constructor(run: (config: SimulatorConfig) => Promise<RunningSimulator>, client: new (url: string) => Client) {
    super(run, client, { settle_after_ms: SETTLE_AFTER_MS });
  }
}
