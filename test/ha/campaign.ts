import { setTimeout as delay } from 'node:timers/promises';
import { Receiver } from '../chaos/receiver.js';
import { Violations } from '../chaos/violations.js';
import { compareBooks } from './books.js';
import { FAULTS } from './faults.js';
import { figuresOf, type Figures } from './figures.js';
import { furnish, SKU, type Furniture } from './furnish.js';
import { Laboratory, OURS } from './laboratory.js';
import { Merchants, type OrderHistory } from './merchants.js';
import type { Scenario, Step } from './scenarios.js';

export interface Outcome {
  scenario: Scenario;
  figures: Figures;
  violations: Violations;
}

const ORDERS_PER_SECOND = 25;
/** A warm-up, because new processes are slow. */
const FIRST_ORDERS_MS = 20_000;
const WARM_UP_MS = 10_000;
const AFTERWARDS_MS = 10_000;
const ACKNOWLEDGED_WITHIN_MS = 60_000;
const ENDED_WITHIN_MS = 150_000;

const OPEN = `
  SELECT (SELECT count(*)::int FROM orders WHERE status NOT IN ('completed', 'failed')) AS orders,
         (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'pending') AS deliveries`;

/** One laboratory, which runs one scenario after another. */
export class Campaign {
  private readonly histories: OrderHistory[] = [];
  private readonly begunAt = new Date();

  private constructor(
    private readonly laboratory: Laboratory,
    private readonly receiver: Receiver,
    private readonly furniture: Furniture,
    private readonly merchants: Merchants,
    private readonly log: (line: string) => void,
  ) {}

  static async begin(directory: string, logs: string, log: (line: string) => void): Promise<Campaign> {
    const laboratory = await Laboratory.standUp(directory, logs, log);
    const receiver = new Receiver(null, OURS);
    await receiver.listen();
    const furniture = await furnish(laboratory, receiver);
    const merchants = new Merchants(laboratory.apiUrl, furniture.accounts, SKU);
    const campaign = new Campaign(laboratory, receiver, furniture, merchants, log);
    await campaign.orderFor(FIRST_ORDERS_MS);
    return campaign;
  }

  async play(scenario: Scenario): Promise<Outcome> {
    const { laboratory, merchants, log } = this;
    for (const { fault } of scenario.steps) {
      const { prepare } = FAULTS[fault] as { prepare?: (laboratory: Laboratory) => Promise<void> };
      await prepare?.(laboratory);
    }
    const placedBefore = merchants.histories.length;
    merchants.begin(ORDERS_PER_SECOND);
    await delay(WARM_UP_MS);
    const faultAtMs = performance.now();
    await Promise.all(scenario.steps.map((step) => this.carryOut(step)));
    await delay(AFTERWARDS_MS);
    const endAtMs = performance.now();
    await merchants.end(ACKNOWLEDGED_WITHIN_MS);
    const histories = merchants.histories.slice(placedBefore);
    log('no more orders; waiting until all is well and delivered');
    await laboratory.untilHealthy();
    await this.untilDelivered();
    this.histories.push(...histories);
    const violations = new Violations();
    if (laboratory.forgotten.isAny) await this.settleForgotten(violations);
    const figures = figuresOf({ histories, reportedAtMs: this.reportedAtMs(), faultAtMs, endAtMs });
    const { subscriptions } = this.furniture;
    await compareBooks(laboratory, this.histories, this.receiver, subscriptions, violations);
    return { scenario, figures, violations };
  }

  /** After a restore: merchants repeat lost orders, and lost purchases become discrepancies. */
  private async settleForgotten(violations: Violations): Promise<void> {
    const { laboratory, merchants, log } = this;
    const lost = await merchants.repeatLost(this.histories);
    await this.untilDelivered();
    const { arrivals } = this.receiver;
    const cases = await laboratory.forgotten.settle(laboratory, this.begunAt, arrivals, violations);
    log(`${lost} orders were gone and came again; ${cases} purchases that no order knows became cases`);
    if (lost > 0 && cases === 0)
      violations.add('supplier', 'orders were lost, and none of their purchases is a case', { lost });
  }

  /** A run without any fault. */
  private async orderFor(forMs: number): Promise<void> {
    this.merchants.begin(ORDERS_PER_SECOND);
    await delay(forMs);
    await this.merchants.end(ACKNOWLEDGED_WITHIN_MS);
    await this.untilDelivered();
    this.histories.push(...this.merchants.histories);
  }

  private async carryOut({ fault, at = 0, for: seconds }: Step): Promise<void> {
    await delay(at * 1000);
    const untilMs = performance.now() + seconds * 1000;
    const undo = await FAULTS[fault].begin(this.laboratory);
    this.log(`${fault} for ${seconds} s`);
    await delay(Math.max(0, untilMs - performance.now()));
    await undo();
    this.log(`${fault} is over`);
  }

  /** Waits until no order is open and no delivery waits. The books show those that stay. */
  private async untilDelivered(): Promise<void> {
    for (const deadline = performance.now() + ENDED_WITHIN_MS; performance.now() < deadline; await delay(500)) {
      const [open] = await this.laboratory.sql<{ orders: number; deliveries: number }>(OPEN);
      if (open?.orders === 0 && open.deliveries === 0) return;
    }
  }

  private reportedAtMs(): Map<string, number> {
    const reported = new Map<string, number>();
    for (const { body, atMs, answered } of this.receiver.arrivals) {
      if (answered === 'reset') continue;
      const { reference_id } = (JSON.parse(body) as { data: { reference_id: string } }).data;
      if (!reported.has(reference_id)) reported.set(reference_id, atMs);
    }
    return reported;
  }
}
