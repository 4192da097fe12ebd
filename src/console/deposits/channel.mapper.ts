import { DAY_MS } from '../../core/durations.js';
import { AppError, refusal } from '../../core/errors.js';
import { checkedMoment } from '../../core/moments.js';
import { optionalBaht } from '../../core/money.js';
import type { ChannelChanges } from '../../deposits/channel-changes.js';
import type { ImportResult } from '../../deposits/statements/import-result.js';
import { countLines } from '../../deposits/statements/rows.js';
import { StatementRefused } from '../../deposits/statements/statement-refused.js';
import { toImportResult, toRefusal } from '../../deposits/views.js';
import type { SetChannelDto, StatementImportDto } from './channel.dto.js';

/** A larger file needs more time than a request has. */
const MAX_LINES = 20_000;
const MAX_PROBLEMS = 100;
/** A longer list of payments needs more time than a request has. */
const MAX_SYNC_DAYS = 31;

export function toChannelChanges(code: string, given: SetChannelDto): ChannelChanges {
  const { adapter, options, credentials, min, max, priority, hold_above: holdAbove, status } = given;
  const { base_url: baseUrl, new_callback_url: newCallbackUrl } = given;
  const limits = { min: optionalBaht(min), max: optionalBaht(max), holdAbove: optionalBaht(holdAbove) };
  const named = { ...(options && { options }), ...(credentials && { credentials }) };
  return { code, adapter, baseUrl, newCallbackUrl, priority, status, ...limits, ...named };
}

/** @throws BAD_REQUEST for a moment that is too long ago. */
export function toSyncStart(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const since = checkedMoment(text);
  // An operator chooses a day, and sends its midnight. So the moment may be up to a day older than the limit.
  if (Date.now() - since.getTime() < (MAX_SYNC_DAYS + 1) * DAY_MS) return since;
  const message = `since must be at most ${MAX_SYNC_DAYS} days ago: topup channel sync reads longer lists`;
  throw refusal('BAD_REQUEST', 'OUT_OF_RANGE', 'since', message);
}

/**
 * Imports a file, or makes a preview of the import, and returns the result. A refused file has a result, too, with at
 * most {@link MAX_PROBLEMS} problems.
 * @param take the import or the preview.
 * @throws PAYLOAD_TOO_LARGE; errors of `take`.
 */
export async function toImportDto(
  code: string,
  file: Buffer,
  take: () => Promise<ImportResult>,
): Promise<StatementImportDto> {
  if (countLines(file) > MAX_LINES) {
    const message = `The file has more than ${MAX_LINES} lines: import it by the command line`;
    throw new AppError('PAYLOAD_TOO_LARGE', message);
  }
  try {
    const result = toImportResult(await take()) as unknown as StatementImportDto;
    return { ...result, problems: [], changed_texts_of: null };
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error;
    const refused = toRefusal(code, error.code) as unknown as StatementImportDto;
    return { ...refused, problems: error.problems.slice(0, MAX_PROBLEMS), changed_texts_of: error.changedTextsOn };
  }
}
