import { requestedWait, describeFailure, type SupplierHttp } from '../../../suppliers/supplier-http.js';
import type { NotReported, PlayerQuery, PlayerValidator, PlayerVerdict } from '../player-validator.js';
import { readPlayerAnswer } from './player-answers.js';

const TIMEOUT_MS = 3_000;
/** The rest after a 429 that does not say how long. */
const USUAL_REST_MS = 10_000;

/** G2Bulk's public check of players: it needs no key, so that nothing of ours can be banned for what it is asked. */
export class G2BulkValidator implements PlayerValidator {
  constructor(
    private readonly http: SupplierHttp,
    private readonly baseUrl: string,
  ) {}

  async check({ game, userId, serverId }: PlayerQuery): Promise<PlayerVerdict | NotReported> {
    const server = serverId === null ? {} : { server_id: serverId };
    try {
      const answer = await this.http.call({
        method: 'POST',
        url: `${this.baseUrl}/games/checkPlayerId`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ game, user_id: userId, ...server }),
        timeoutMs: TIMEOUT_MS,
      });
      if (answer.status !== 429) return readPlayerAnswer(answer);
      return { reason: 'HTTP 429', restMs: requestedWait(answer).retryAfterMs ?? USUAL_REST_MS };
    } catch (error) {
      return { reason: describeFailure(error) };
    }
  }
}
