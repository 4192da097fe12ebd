import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { orderBody } from './orders.js';
import { atPace } from './pace.js';

const agent = new Agent({ connections: 64 });

export interface SteadyLoad {
  url: string;
  key: string;
  perSecond: number;
  seconds: number;
}

export interface SteadyAnswers {
  accepted: number;
  refused: number;
  /** Answers other than a 200 or a 503 with Retry-After. */
  other: number;
  /** The duration of each answer, in milliseconds. */
  times: number[];
  /** The time of each 200, by `performance.now()`. */
  acceptedAt: number[];
}

/** Places orders at an even pace, independent of the answers. */
export async function steadyLoad({ url, key, perSecond, seconds }: SteadyLoad): Promise<SteadyAnswers> {
  const answers: SteadyAnswers = { accepted: 0, refused: 0, other: 0, times: [], acceptedAt: [] };
  await atPace(perSecond, Array.from({ length: perSecond * seconds }), () => place(url, key, answers));
  return answers;
}

async function place(url: string, key: string, answers: SteadyAnswers): Promise<void> {
  const startedMs = performance.now();
  const { statusCode, headers, body } = await request(`${url}/v1/orders`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: orderBody(randomBytes(12).toString('hex')),
  });
  await body.dump();
  answers.times.push(performance.now() - startedMs);
  if (statusCode === 200) {
    answers.accepted++;
    answers.acceptedAt.push(performance.now());
  } else if (statusCode === 503 && headers['retry-after'] !== undefined) answers.refused++;
  else answers.other++;
}
