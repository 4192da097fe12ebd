import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';
import type { ChaosSystem } from './system.js';
import type { AnswerCode } from './vendors/vendor-kind.js';
import { VENDORS } from './vendors/vendors.js';
import type { Violations } from './violations.js';

const EVERY_MS = 400;

/** Attempts at vendors, the open ones first. */
const ATTEMPTS = `
  SELECT s.code AS vendor, a.reference, a.supplier_sku AS sku, u.state FROM unit_attempts a
  JOIN suppliers s ON s.id = a.supplier_id AND s.code NOT IN ('sim', 'careless')
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
  ORDER BY u.state IN ('succeeded', 'failed'), random() LIMIT 1`;

interface About {
  vendor: AnswerCode;
  reference: string;
  sku: string;
  state: string;
}

/** Forges callbacks. It knows the callback addresses of vendors, but not their secrets. */
export class Forger {
  private sent = 0;
  private isOver = false;
  private working: Promise<void> | undefined;

  constructor(
    private readonly system: ChaosSystem,
    private readonly callbackUrls: ReadonlyMap<AnswerCode, string>,
    private readonly random: Random,
    private readonly violations: Violations,
  ) {}

  start(): void {
    this.working = this.work();
  }

  /** @returns the number of sent callbacks. */
  async stop(): Promise<number> {
    this.isOver = true;
    await this.working;
    return this.sent;
  }

  private async work(): Promise<void> {
    for (; !this.isOver; await delay(EVERY_MS)) {
      const [attempt] = await this.system.sql<About>(ATTEMPTS).catch(() => []);
      if (attempt) await this.forge(attempt);
    }
  }

  private async forge(attempt: About): Promise<void> {
    const { vendor, reference, sku } = attempt;
    const { isSigned, forgeries } = VENDORS[vendor];
    const isSuccess = this.random.chance(0.5);
    const forged = { reference, sku, name: `forged-${this.sent++}`, isSuccess };
    const { how, headers, body } = this.random.pick(forgeries(forged));
    const signal = AbortSignal.timeout(4_000);
    const request = { method: 'POST', headers, body, signal };
    const url = this.callbackUrls.get(vendor) ?? '';
    const status = await fetch(url, request).then(
      (response) => response.status,
      () => null,
    );
    if (isSigned && status !== null && status < 300) {
      this.violations.add('supplier', 'a forged callback was taken', { attempt, body, how, status });
    }
  }
}

/** Checks that forged callbacks had no effect. */
export async function checkForged(system: ChaosSystem, violations: Violations): Promise<void> {
  const taken = await system.sql(
    `
    SELECT verdict, delivery_id, reference, order_id FROM supplier_callbacks
    WHERE (delivery_id LIKE 'forged-%' OR supplier_reference LIKE 'forged-%')
      AND (verdict IN ('settled', 'contradicted') OR supplier_id IN (SELECT id FROM suppliers WHERE adapter = ANY($1)))
    UNION ALL
    SELECT 'kept with the unit', NULL, NULL, order_id FROM order_units WHERE supplier_reference LIKE 'forged-%'`,
    [system.vendors.filter(({ kind }) => kind.isSigned).map(({ kind }) => kind.adapter)],
  );
  for (const row of taken) violations.add('supplier', 'a forged callback had an effect', row);
}
