import { rowsOf, statement } from '../../database/parameters.js';

const IDENTITY = `encode(identity_hash, 'hex') AS identity`;
const STORED = `booked_on::text AS booked_on, at, amount, balance_after, ${IDENTITY}`;

/** How late a bank may add a line of an earlier day to its chain, in days. The limit bounds the lines that are read. */
const MAX_LATE_DAYS = 7;

/**
 * The imported lines of a channel from a day on, with the lines of earlier days that stand after the first of these, in the order
 * of the chain. When an operator has confirmed other texts of a day, that counts for all later files.
 */
export const LINES_FROM = statement(
  'statement_lines.from',
  { channelId: 'int', firstOn: 'text', changedTextsOn: 'text?' },
  ({ channelId, firstOn, changedTextsOn }) => `
    SELECT ${STORED}, (booked_on IN (SELECT ${changedTextsOn}::date UNION SELECT texts_of FROM statement_imports WHERE channel_id = ${channelId}))
                      IS TRUE AS may_have_other_texts
    FROM statement_lines
    WHERE channel_id = ${channelId} AND booked_on >= ${firstOn}::date - ${MAX_LATE_DAYS}
      AND (booked_on >= ${firstOn}::date
           OR id > (SELECT id FROM statement_lines WHERE channel_id = ${channelId} AND booked_on >= ${firstOn}::date
                    ORDER BY booked_on, id LIMIT 1))
    ORDER BY id`,
);

/** The last line of the days before a day, in the order of the chain. */
export const LAST_LINE = statement(
  'statement_lines.last',
  { channelId: 'int', before: 'text' },
  ({ channelId, before }) => `
    WITH late AS MATERIALIZED (
      SELECT id, booked_on, at, amount, balance_after, identity_hash FROM statement_lines
      WHERE channel_id = ${channelId} AND booked_on < ${before}::date
        AND booked_on >= (SELECT max(booked_on) FROM statement_lines
                          WHERE channel_id = ${channelId} AND booked_on < ${before}::date) - ${MAX_LATE_DAYS})
    SELECT ${STORED} FROM late ORDER BY id DESC LIMIT 1`,
);

/**
 * The days without a line between the imported ones and a day, if there are no balances, or the last imported day ended with the balance
 * with which it began. That is a guess about accounts that are emptied each day: on any account, balances can't show that a day is
 * missing whose amounts add up to zero.
 */
export const UNPROVEN_DAYS = statement(
  'statement_lines.unproven_days',
  { channelId: 'int', before: 'text' },
  ({ channelId, before }) => `
    SELECT to_char(day, 'YYYY-MM-DD') AS day
    FROM (SELECT booked_on FROM statement_lines
          WHERE channel_id = ${channelId} AND booked_on < ${before}::date - 1
            AND booked_on = (SELECT max(booked_on) FROM statement_lines WHERE channel_id = ${channelId})
          GROUP BY booked_on HAVING sum(amount) = 0 OR bool_or(balance_after IS NULL)) last,
         generate_series(booked_on + interval '1 day', ${before}::date - interval '1 day', interval '1 day') day
    ORDER BY day`,
);

/** Whether a channel has lines that were written after this one. */
export const HAS_LINES_AFTER = statement(
  'statement_lines.has_after',
  { channelId: 'int', id: 'bigint' },
  ({ channelId, id }) => `SELECT id FROM statement_lines WHERE id > ${id} AND channel_id = ${channelId} LIMIT 1`,
);

/** Lines that are imported already. */
export const KNOWN_LINES = statement(
  'statement_lines.known',
  { channelId: 'int', lines: rowsOf({ identity: 'text' }) },
  ({ channelId, lines }) => `
    SELECT known.id, line.identity, known.amount, known.booked_on::text AS booked_on FROM ${lines.as('line')}
    JOIN statement_lines known ON known.channel_id = ${channelId} AND known.identity_hash = decode(line.identity, 'hex')`,
);

export const INSERT_LINES = statement(
  'statement_lines.insert',
  {
    ...({ channelId: 'int', importId: 'int' } as const),
    lines: rowsOf({
      ...({ booked_on: 'text', at: 'timestamptz', amount: 'bigint', balance_after: 'bigint?' } as const),
      ...({ identity: 'text', text_sealed: 'bytea' } as const),
    }),
  },
  ({ channelId, importId, lines }) => `
    INSERT INTO statement_lines (channel_id, import_id, booked_on, at, amount, balance_after, identity_hash, text_sealed)
    SELECT ${channelId}, ${importId}, booked_on::date, at, amount, balance_after, decode(identity, 'hex'), text_sealed
    FROM ${lines.numbered('line', 'position')} ORDER BY position
    RETURNING id, ${IDENTITY}`,
);

export const LINE_TEXTS = statement(
  'statement_lines.texts',
  { lines: rowsOf({ id: 'bigint' }) },
  ({ lines }) => `
    SELECT found.id, ${IDENTITY}, found.text_sealed FROM ${lines.as('line')} JOIN statement_lines found ON found.id = line.id`,
);

export const LAST_IMPORTS = statement(
  'statement_imports.last',
  {},
  () => `
    SELECT c.id AS channel_id, last.created_at FROM deposit_channels c CROSS JOIN LATERAL (
      SELECT created_at FROM statement_imports i WHERE i.channel_id = c.id ORDER BY id DESC LIMIT 1) last`,
);
