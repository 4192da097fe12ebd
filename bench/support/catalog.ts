import type { ChildProcess } from 'node:child_process';
import { startHelper } from './child.js';
import type { BenchStack } from './stack.js';

export const SKU = 'BENCH-1';

/** Adds a product that a supplier of the benchmarks sells. */
export async function createCatalog(stack: BenchStack): Promise<ChildProcess> {
  const { child, url } = await startHelper('support/supplier');
  await stack.topup('supplier', 'set', '--code', 'bench', '--adapter', 'http', '--base-url', url);
  const product = ['--sku', SKU, '--name', 'Bench', '--price', '35.00', '--supplier', 'bench'];
  await stack.topup('product', 'set', ...product);
  return child;
}
