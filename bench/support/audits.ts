import type { BenchStack } from './stack.js';

export interface Audit {
  ok: boolean;
  checked: { orders: number };
  closed: { orders: number } | null;
}

/** The audit, as the operator runs it. @throws if the books are not in order. */
export async function audit(stack: BenchStack): Promise<Audit> {
  const answer = await stack.topup<Audit>('audit');
  if (!answer.ok) throw new Error('the books are not in order');
  return answer;
}

export async function timed<Result>(work: () => Promise<Result>): Promise<{ seconds: number; answer: Result }> {
  const startedMs = performance.now();
  const answer = await work();
  return { seconds: (performance.now() - startedMs) / 1000, answer };
}
