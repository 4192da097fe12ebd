import { setTimeout as delay } from 'node:timers/promises';

/** Repeats work that fails while the machine is too slow for it. A repetition must have no effect. @throws the error of the last try. */
export async function retried<Result>(work: () => Promise<Result>, tries = 5): Promise<Result> {
  for (let more = tries - 1; ; more--) {
    try {
      return await work();
    } catch (error) {
      if (more === 0) throw error;
      await delay(1_000);
    }
  }
}
