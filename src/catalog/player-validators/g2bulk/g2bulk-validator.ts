import { describeFailure, requestedWait, type HttpAnswer, type AdapterHttp } from '../../../suppliers/adapter-http.js';
import { asMembers, shownText } from '../../../suppliers/adapter-answers.js';
import {
  INVALID_PLAYER,
  type NotReported,
  type PlayerQuery,
  type PlayerValidator,
  type PlayerVerdict,
} from '../player-validator.js';

const TIMEOUT_MS = 3_000;
const MAX_NAME_LENGTH = 128;
/** How long to make no calls after a 429 that names no time. */
const USUAL_REST_MS = 10_000;

/** G2Bulk's public check of players. It needs no key, so G2Bulk cannot ban an account of ours for these calls. */
export class G2BulkValidator implements PlayerValidator {
  constructor(
    private readonly http: AdapterHttp,
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

/**
 * The verdict in an answer of `POST /games/checkPlayerId` (G2Bulk, Public API Documentation, "Check Player ID"). G2Bulk
 * documents only the text `valid`; we also read `invalid` and booleans. An HTTP error gives no verdict about the player.
 */
export function readPlayerAnswer({ status, body }: HttpAnswer): PlayerVerdict | NotReported {
  if (status !== 200) return { reason: `HTTP ${status}` };
  const { valid, name } = asMembers(body) ?? {};
  if (valid === 'invalid' || valid === false) return INVALID_PLAYER;
  if (valid !== 'valid' && valid !== true) return { reason: 'an answer that cannot be read' };
  const shown = shownText(name);
  return { verdict: 'valid', name: shown === '' ? null : shown.slice(0, MAX_NAME_LENGTH).toWellFormed() };
}
