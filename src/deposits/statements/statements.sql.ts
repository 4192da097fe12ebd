import { rowsOf, statement } from '../../database/parameters.js';

const STORED = `booked_on::text AS booked_on, at, amount, balance_after, identity_hash`;

/** Imported lines of a channel from a day on, in the order of the chain. An operator may confirm other texts of a day, once for all. */
export const LINES_FROM = statement(
  'statement_lines.from',
  { channelId: 'int', firstOn: 'text', textsOf: 'text?' },
  ({ channelId, firstOn, textsOf }) => `
    SELECT ${STORED}, (booked_on IN (SELECT ${textsOf}::date UNION SELECT texts_of FROM statement_imports WHERE channel_id = ${channelId}))
                      IS TRUE AS may_have_other_texts
    FROM statement_lines WHERE channel_id = ${channelId} AND booked_on >= ${firstOn}::date ORDER BY id`,
);

/** The last line before a day; of all lines without one. */
export const LAST_LINE = statement(
  'statement_lines.last',
  { channelId: 'int', before: 'text?' },
  ({ channelId, before }) => `
    SELECT id, ${STORED} FROM statement_lines
    WHERE channel_id = ${channelId} AND (${before} IS NULL OR booked_on < ${before}::date)
    ORDER BY booked_on DESC, id DESC LIMIT 1`,
);

/** Lines that are imported already. */
export const KNOWN_LINES = statement(
  'statement_lines.known',
  { channelId: 'int', lines: rowsOf({ identity_hash: 'bytea' }) },
  ({ channelId, lines }) => `
    SELECT known.id, known.identity_hash, known.amount FROM ${lines.as('line')}
    JOIN statement_lines known ON known.channel_id = ${channelId} AND known.identity_hash = line.identity_hash`,
);

export const INSERT_LINES = statement(
  'statement_lines.insert',
  {
    ...({ channelId: 'int', importId: 'int' } as const),
    lines: rowsOf({
      ...({ booked_on: 'text', at: 'timestamptz', amount: 'bigint', balance_after: 'bigint?' } as const),
      ...({ identity_hash: 'bytea', text_sealed: 'bytea' } as const),
    }),
  },
  ({ channelId, importId, lines }) => `
    INSERT INTO statement_lines (channel_id, import_id, booked_on, at, amount, balance_after, identity_hash, text_sealed)
    SELECT ${channelId}, ${importId}, booked_on::date, at, amount, balance_after, identity_hash, text_sealed
    FROM ${lines.numbered('line', 'position')} ORDER BY position
    RETURNING id, identity_hash`,
);
