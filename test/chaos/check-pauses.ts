import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosSystem } from './system.js';
import type { Vendor } from './vendor.js';
import type { Violations } from './violations.js';

/** A worker may be killed before it pauses a vendor, but hardly each time. */
const MAX_WITHOUT_PAUSE = 2;

/** Checks that workers paused vendors that refused our key, or had too little of our deposit. */
export async function checkPauses(system: ChaosSystem, violations: Violations): Promise<void> {
  const counts = await Promise.all(system.vendors.map(countRefusalsOfUs));
  const refused = counts.reduce((sum, count) => sum + count, 0);
  if (refused > MAX_WITHOUT_PAUSE && !wasPaused(system)) {
    violations.add('supplier', 'vendors that have something against us were never paused', { refused });
  }
}

async function countRefusalsOfUs(vendor: Vendor): Promise<number> {
  const { isPurchase, codeIn, refusalsOfUs } = vendor.kind;
  const purchases = (await vendor.journal()).filter(isPurchase);
  return purchases.filter((entry) => refusalsOfUs.includes(String(codeIn(entry)))).length;
}

/** The pauses in the workers' logs. */
function wasPaused({ logs, vendors }: ChaosSystem): boolean {
  const codes = vendors.map(({ kind }) => kind.code).join('|');
  const line = new RegExp(`"supplier":"(${codes})","reason":"(credentials|deposit)"`);
  return ['worker-1.log', 'worker-2.log'].some((name) => line.test(readFileSync(join(logs, name), 'utf8')));
}
