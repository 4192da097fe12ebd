import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { DepositChannel } from '../deposit-channel.entity.js';
import type { Stored, StoredLine } from './chain.js';
import { StatementImport } from './statement-import.entity.js';
import type { StatementLine } from './statement-line.entity.js';
import { INSERT_LINES, KNOWN_LINES, LAST_LINE, LINES_FROM } from './statements.sql.js';

export type NewLine = Pick<
  StatementLine,
  'booked_on' | 'at' | 'amount' | 'balance_after' | 'identity_hash' | 'text_sealed'
>;
export type NewLineId = Pick<StatementLine, 'id' | 'identity_hash'>;
export type KnownLine = Pick<StatementLine, 'id' | 'identity_hash' | 'amount'>;
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

  /** The id of the channel's last line; 0 without lines. With balances it rises with each import. */
  async lastId(tx: Queryable, channelId: number): Promise<bigint> {
    const [last] = await tx.query<{ id: bigint }>(...LAST_LINE.with({ channelId, before: null }));
    return last?.id ?? 0n;
  }

  known(tx: Queryable, channelId: number, lines: readonly { identity_hash: Buffer }[]): Promise<KnownLine[]> {
    return tx.query<KnownLine>(
      ...KNOWN_LINES.with({ channelId, lines: lines.map(({ identity_hash }) => ({ identity_hash })) }),
    );
  }

  insertLines(tx: Transaction, of: { channelId: number; importId: number }, lines: NewLine[]): Promise<NewLineId[]> {
    return tx.query(...INSERT_LINES.with({ ...of, lines }));
  }

  async insertImport({ manager }: Transaction, row: Omit<StatementImport, 'id' | 'created_at'>): Promise<number> {
    const { identifiers } = await manager.insert(StatementImport, row);
    return (identifiers[0] as { id: number }).id;
  }

  /** Newest first. */
  async list(channel: string | undefined): Promise<ImportRow[]> {
    const query = this.database.manager
      .createQueryBuilder(StatementImport, 'import')
      .innerJoin(DepositChannel, 'channel', 'channel.id = import.channel_id')
      .addSelect('channel.code', 'channel')
      .orderBy('import.id', 'DESC');
    if (channel !== undefined) query.where('channel.code = :channel', { channel });
    const { entities, raw } = await query.getRawAndEntities<{ channel: string }>();
    return entities.map((each, index) => ({ ...each, channel: raw[index]?.channel ?? '' }));
  }
}
