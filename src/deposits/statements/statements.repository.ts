import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { withCodes } from '../channels.repository.js';
import type { Stored, StoredLine } from './chain.js';
import { StatementImport } from './statement-import.entity.js';
import type { StatementLine } from './statement-line.entity.js';
import { HAS_LINES_AFTER, INSERT_LINES, KNOWN_LINES, LAST_LINE, LINES_FROM } from './statements.sql.js';

type Identified = { identity: string };
type KnownLine = Pick<StatementLine, 'id' | 'amount'>;
type NewLine = Pick<StatementLine, 'booked_on' | 'at' | 'amount' | 'balance_after' | 'text_sealed'> & Identified;
export type ImportRow = StatementImport & { channel: string };

@Injectable()
export class StatementsRepository {
  constructor(private readonly database: Database) {}

  /** Imported lines that a file beginning on `firstOn` must continue. */
  async stored(
    tx: Queryable,
    { channelId, firstOn, textsOf }: { channelId: number; firstOn: string; textsOf: string | null },
  ): Promise<Stored> {
    const [lines, [before = null]] = await Promise.all([
      tx.query<StoredLine>(...LINES_FROM.with({ channelId, firstOn, textsOf })),
      tx.query<StoredLine>(...LAST_LINE.with({ channelId, before: firstOn })),
    ]);
    return { before, lines };
  }

  async hasLinesAfter(tx: Queryable, channelId: number, id: bigint): Promise<boolean> {
    return (await tx.query(...HAS_LINES_AFTER.with({ channelId, id }))).length > 0;
  }

  /** Imported lines by their identities, as far as these lines have them. */
  async known(tx: Queryable, channelId: number, lines: Iterable<Identified>): Promise<Map<string, KnownLine>> {
    const identities = Array.from(lines, ({ identity }) => ({ identity }));
    const known = await tx.query<Identified & KnownLine>(...KNOWN_LINES.with({ channelId, lines: identities }));
    return new Map(known.map((line) => [line.identity, line]));
  }

  /** @returns the ids of the lines by their identities. */
  async insertLines(
    tx: Transaction,
    of: { channelId: number; importId: number },
    lines: NewLine[],
  ): Promise<Map<string, bigint>> {
    if (lines.length === 0) return new Map();
    const inserted = await tx.query<Identified & { id: bigint }>(...INSERT_LINES.with({ ...of, lines }));
    return new Map(inserted.map(({ identity, id }) => [identity, id]));
  }

  async insertImport({ manager }: Transaction, row: Omit<StatementImport, 'id' | 'created_at'>): Promise<number> {
    const { identifiers } = await manager.insert(StatementImport, row);
    return (identifiers[0] as { id: number }).id;
  }

  /** Newest first. */
  list(channel: string | undefined): Promise<ImportRow[]> {
    const query = this.database.manager.createQueryBuilder(StatementImport, 'import');
    return withCodes(query.orderBy('import.id', 'DESC'), channel);
  }
}
