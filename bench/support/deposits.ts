import type { PlannedChannel } from '../../tools/statements/plan.js';
import { topupHere } from './command-line.js';
import type { BenchStack } from './stack.js';

/** Without the limits of merchants, because the benchmarks' merchants make many deposits. */
export const NO_LIMITS = { DEPOSIT_MAX_OPEN: '0', DEPOSIT_CREATE_PER_MINUTE: '0', DEPOSIT_MAX_HELD: '0' };

/** Adds the channels of a plan. */
export async function setChannels(stack: BenchStack, channels: readonly PlannedChannel[]): Promise<void> {
  for (const { code, adapter, options } of channels) {
    const values = Object.entries(options).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
    await topupHere(stack, 'channel', 'set', '--code', code, '--adapter', adapter, ...values);
  }
}
