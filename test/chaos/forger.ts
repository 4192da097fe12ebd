import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';
import type { ChaosSystem } from './system.js';
import { VENDOR } from './vendor-plan.js';
import type { Violations } from './violations.js';

const EVERY_MS = 400;

/** Attempts at the vendor, the open ones first. */
const ATTEMPTS = `
  SELECT a.reference, a.supplier_sku AS sku, u.state FROM unit_attempts a
  JOIN suppliers s ON s.id = a.supplier_id AND s.adapter = 'digiflazz'
  JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
  ORDER BY u.state IN ('succeeded', 'failed'), random() LIMIT 1`;

const hmac = (secret: string, text: string): string =>
  `sha1=${createHmac('sha1', secret).update(text).digest('hex')}`;

/** Ways to sign a text that none but the vendor could have written; null for no signature. */
const SIGNATURES: Record<string, (body: string) => string | null> = {
  absent: () => null,
  'by another secret': (body) => hmac('another-secret', body),
  'without its prefix': (body) => hmac(VENDOR.webhookSecret, body).slice('sha1='.length),
  // What somebody may have seen of the same content, written otherwise.
  'of other bytes': (body) => hmac(VENDOR.webhookSecret, JSON.stringify(JSON.parse(body))),
};

/** Somebody who knows the address that the vendor calls, and not its secret. */
export class Forger {
  private sent = 0;
  private isOver = false;
  private working: Promise<void> | undefined;

  constructor(
    private readonly system: ChaosSystem,
    private readonly callbackUrl: string,
    private readonly random: Random,
    private readonly violations: Violations,
  ) {}

  start(): void {
    this.working = this.work();
  }

  /** @returns how many callbacks were sent. */
  async stop(): Promise<number> {
    this.isOver = true;
    await this.working;
    return this.sent;
  }

  private async work(): Promise<void> {
    for (; !this.isOver; await delay(EVERY_MS)) {
      const [attempt] = await this.system
        .sql<{ reference: string; sku: string; state: string }>(ATTEMPTS)
        .catch(() => []);
      if (attempt) await this.forge(attempt);
    }
  }

  private async forge(attempt: { reference: string; sku: string; state: string }): Promise<void> {
    const says = this.random.pick([{ status: 'Sukses', rc: '00' }, { status: 'Gagal', rc: '02' }]); // prettier-ignore
    const about = { ref_id: attempt.reference, buyer_sku_code: attempt.sku, trx_id: `forged-${this.sent}` };
    // With spaces: not as it would be written again.
    const body = JSON.stringify({ data: { ...about, ...says, message: '', sn: '1', price: 1 } }, null, 1);
    const [how, sign] = this.random.pick(Object.entries(SIGNATURES));
    const signature = sign(body);
    const headers = {
      'content-type': 'application/json',
      'x-digiflazz-delivery': `forged-${this.sent++}`,
      ...(signature !== null && { 'x-hub-signature': signature }),
    };
    const signal = AbortSignal.timeout(4_000);
    const request = { method: 'POST', headers, body, signal };
    const status = await fetch(this.callbackUrl, request).then((response) => response.status, () => null); // prettier-ignore
    if (status !== null && status < 300) {
      this.violations.add('supplier', 'a forged callback was taken', {
        attempt,
        body,
        signature: how,
        status,
      });
    }
  }
}

/** Asks whether anything came of what was forged. */
export async function checkForged(system: ChaosSystem, violations: Violations): Promise<void> {
  const taken = await system.sql(`
    SELECT verdict, delivery_id, reference, order_id FROM supplier_callbacks
    WHERE delivery_id LIKE 'forged-%' OR supplier_reference LIKE 'forged-%'
    UNION ALL
    SELECT 'kept with the attempt', NULL, reference, order_id FROM unit_attempts
    WHERE supplier_reference LIKE 'forged-%'`);
  for (const row of taken) violations.add('supplier', 'a forged callback had an effect', row);
}
