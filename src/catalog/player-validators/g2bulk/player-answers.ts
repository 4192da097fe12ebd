import { asMembers, shownText } from '../../../suppliers/vendor-answers.js';
import type { HttpAnswer } from '../../../suppliers/supplier-http.js';
import { INVALID_PLAYER, type NotReported, type PlayerVerdict } from '../player-validator.js';

const MAX_NAME_LENGTH = 128;

/**
 * What an answer of `POST /games/checkPlayerId` says (G2Bulk, Public API Documentation, "Check Player ID"). Documented is
 * only the text `valid`; `invalid` and booleans are read too. An error is never about the player.
 */
export function readPlayerAnswer({ status, body }: HttpAnswer): PlayerVerdict | NotReported {
  if (status !== 200) return { reason: `HTTP ${status}` };
  const { valid, name } = asMembers(body) ?? {};
  if (valid === 'invalid' || valid === false) return INVALID_PLAYER;
  if (valid !== 'valid' && valid !== true) return { reason: 'an answer that cannot be read' };
  const shown = shownText(name);
  return { verdict: 'valid', name: shown === '' ? null : shown.slice(0, MAX_NAME_LENGTH).toWellFormed() };
}
