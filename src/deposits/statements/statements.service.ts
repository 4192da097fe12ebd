import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import type { Satang } from '../../core/money.js';
import { isLockTimeout } from '../../core/postgres-errors.js';
import { SecretBox } from '../../core/secret-box.js';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { retryWrite } from '../../database/retry-write.js';
import { assertActor, recordAction, type Actor } from '../../audit-log/audit-log.js';
import { ChannelsRepository } from '../channels.repository.js';
import { ChannelsService, type KnownChannel } from '../channels.service.js';
import type { ChannelSettings } from '../channels/channel-adapter.js';
import { IncomingLinesService, type Outcomes } from '../incoming-lines.service.js';
import { assertBalances, assertNoneMissing, continueChain, identify, type IdentifiedLine } from './chain.js';
import type { StatementFormat } from './statement-format.js';
import { lineTextPlace } from './statement-line.entity.js';
import { openingOf, readStatement } from './statement-reader.js';
import { StatementRefused } from './statement-refused.js';
import { StatementsRepository, type ImportRow, type KnownLine, type NewLineId } from './statements.repository.js';

/** Lines of one transaction. */
const BATCH = 500;
/** How long a batch waits for other imports of its channel. */
const LOCK_WAIT_MS = 60_000;

/** What an import did. Amounts and counts are of new lines. */
export interface ImportResult extends Outcomes {
  channel: string;
  /** All lines of the file. */
  lines: number;
  new: number;
  out: number;
  outAmount: Satang;
  opening: Satang | null;
  closing: Satang | null;
  coveredUntil: Date | null;
}

/** The result of a file that is refused. */
export const NOTHING_IMPORTED: Omit<ImportResult, 'channel'> = {
  lines: 0,
  new: 0,
  linked: 0,
  in: 0,
  inAmount: 0n,
  booked: 0,
  waiting: 0,
  ignored: 0,
  out: 0,
  outAmount: 0n,
  opening: null,
  closing: null,
  coveredUntil: null,
};

export interface ImportOptions {
  /** A day whose texts the bank has changed since it was imported, as the operator confirms. */
  textsOf?: string | undefined;
  onProgress?: (done: number, all: number) => void;
}

/** A file that was read. */
interface StatementFile extends KnownChannel {
  textsOf: string | null;
  format: StatementFormat;
  sha256: Buffer;
  lines: IdentifiedLine[];
}

/** How far an import is. Only a commit makes it the next state, because a transaction may run again. */
interface Progress {
  importId: number | null;
  /** The channel's last line when this import last held the lock. */
  lastId: bigint | null;
  rest: IdentifiedLine[];
  result: ImportResult;
}

/** Imports bank statements. One wrong line refuses the whole file; an interrupted import goes on when it is repeated. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly database: Database,
    private readonly statements: StatementsRepository,
    private readonly channels: ChannelsService,
    private readonly channelRows: ChannelsRepository,
    private readonly incoming: IncomingLinesService,
    private readonly secretBox: SecretBox,
  ) {}

  list(channel?: string): Promise<ImportRow[]> {
    return this.statements.list(channel);
  }

  /** @throws NOT_FOUND; BAD_REQUEST; StatementRefused */
  async import(code: string, file: Buffer, by: Actor, options: ImportOptions = {}): Promise<ImportResult> {
    assertActor(by);
    try {
      return await this.importAll(await this.read(code, file, options), by, options);
    } catch (error) {
      if (error instanceof StatementRefused)
        await this.database.transaction((tx) => this.channelRows.record(tx, code, { refused: error.code }));
      throw error;
    }
  }

  private async importAll(statement: StatementFile, by: Actor, { onProgress }: ImportOptions): Promise<ImportResult> {
    let progress = begin(statement);
    do {
      const current = progress;
      const write = (): Promise<Progress> =>
        this.database.transaction((tx) => this.importBatch(tx, statement, current, by));
      // Another import may hold the channel's lock for longer than a statement waits.
      progress = await retryWrite(write, performance.now() + LOCK_WAIT_MS, isLockTimeout);
      onProgress?.(statement.lines.length - progress.rest.length, statement.lines.length);
    } while (progress.rest.length > 0);
    return progress.result;
  }

  /** Reports what an import would do. @throws as {@link import}. */
  async preview(code: string, file: Buffer, options: ImportOptions = {}): Promise<ImportResult> {
    const statement = await this.read(code, file, options);
    const rest = await this.newLines(this.database, statement);
    const result = begin(statement).result;
    const paid = await this.incoming.preview(this.database, statement, rest);
    const last = statement.lines.at(-1)?.at ?? null;
    return added(result, rest, paid, last);
  }

  private async read(code: string, file: Buffer, { textsOf }: ImportOptions): Promise<StatementFile> {
    const known = await this.channels.known(code);
    const format = formatOf(known.settings, code);
    const read = readStatement(file, format, new Date());
    assertBalances(read);
    const lines = identify(read.lines, format.isReferenceUnique);
    return { ...known, format, textsOf: textsOf ?? null, sha256: createHash('sha256').update(file).digest(), lines };
  }

  private async importBatch(tx: Transaction, file: StatementFile, before: Progress, by: Actor): Promise<Progress> {
    const channel = await this.channelRows.lock(tx, file.channel.id);
    const lastId = await this.statements.lastId(tx, channel.id);
    // Another import may have gone between two batches.
    const rest = lastId === before.lastId ? before.rest : await this.newLines(tx, file);
    const importId = before.importId ?? (await this.record(tx, file, rest.length, by));
    const taken = await this.withoutKnown(tx, file, rest.slice(0, BATCH));
    const until = taken.at(-1)?.at;
    const isLater = until !== undefined && until > (channel.covered_until ?? new Date(0));
    const covered_until = isLater ? until : channel.covered_until;
    await this.channelRows.record(tx, channel.code, { covered_until, refused: null });
    const inserted = await this.insert(tx, { channelId: channel.id, importId }, taken);
    // The last step, because it locks wallets, for which orders wait.
    const outcomes = await this.incoming.take(tx, { ...file, channel }, taken, inserted);
    return {
      importId,
      lastId: inserted.at(-1)?.id ?? lastId,
      rest: rest.slice(BATCH),
      result: added(before.result, taken, outcomes, covered_until),
    };
  }

  /** Compares the file with the imported lines. @throws StatementRefused */
  private async newLines(tx: Queryable, { channel, format, textsOf, lines }: StatementFile): Promise<IdentifiedLine[]> {
    const [first] = lines;
    if (!first) return [];
    const stored = await this.statements.stored(tx, { channelId: channel.id, firstOn: first.bookedOn, textsOf });
    if (!hasBalances(format)) {
      assertNoneMissing(lines, stored.lines);
      return this.without(await this.statements.known(tx, channel.id, lines), lines);
    }
    const rest = continueChain(lines, stored);
    if (!format.isReferenceUnique) return rest;
    const [moved] = await this.statements.known(tx, channel.id, rest);
    if (!moved) return rest;
    const row = rest.find(({ identity_hash }) => identity_hash.equals(moved.identity_hash))?.row;
    throw new StatementRefused('CHAIN_BROKEN', [`line ${row}: its reference was imported before, with another date`]);
  }

  /** Without balances, nothing shows that another import has written some of the lines meanwhile. */
  private async withoutKnown(
    tx: Queryable,
    { channel, format }: StatementFile,
    lines: IdentifiedLine[],
  ): Promise<IdentifiedLine[]> {
    return hasBalances(format) ? lines : this.without(await this.statements.known(tx, channel.id, lines), lines);
  }

  private without(known: readonly KnownLine[], lines: IdentifiedLine[]): IdentifiedLine[] {
    const identities = new Set(known.map(({ identity_hash }) => nameOf(identity_hash)));
    return lines.filter(({ identity_hash }) => !identities.has(nameOf(identity_hash)));
  }

  private async record(tx: Transaction, file: StatementFile, count: number, by: Actor): Promise<number> {
    const { channel, textsOf, sha256, lines } = file;
    const [first] = lines;
    const last = lines.at(-1);
    const importId = await this.statements.insertImport(tx, {
      channel_id: channel.id,
      file_hash: sha256,
      lines: lines.length,
      opening: first ? openingOf(first) : null,
      closing: last?.balance ?? null,
      first_on: first?.bookedOn ?? null,
      last_on: last?.bookedOn ?? null,
      texts_of: textsOf,
      operator: by.operator,
    });
    const detail = {
      channel: channel.code,
      import_id: importId,
      file_sha256: sha256.toString('hex'),
      lines: lines.length,
      new: count,
      ...(textsOf !== null && { accepted_texts_of: textsOf }),
    };
    recordAction(tx, by, { action: 'statement.import', detail });
    if (!hasBalances(file.format)) await this.contradict(tx, file);
    return importId;
  }

  /** Without balances, a line that was imported before may come with another amount. */
  private async contradict(tx: Transaction, { channel, lines }: StatementFile): Promise<void> {
    const known = await this.statements.known(tx, channel.id, lines);
    const amounts = new Map(lines.map(({ identity_hash, amount }) => [nameOf(identity_hash), amount]));
    const contradicted = known.filter(({ identity_hash, amount }) => amounts.get(nameOf(identity_hash)) !== amount);
    this.incoming.contradict(
      tx,
      contradicted.map(({ id }) => id),
    );
  }

  private insert(
    tx: Transaction,
    of: { channelId: number; importId: number },
    taken: IdentifiedLine[],
  ): Promise<NewLineId[]> {
    if (taken.length === 0) return Promise.resolve([]);
    const rows = taken.map(({ bookedOn, at, amount, balance, identity_hash, texts, reference }) => {
      const text_sealed = this.secretBox.seal(JSON.stringify([...texts, reference]), lineTextPlace({ identity_hash }));
      return { booked_on: bookedOn, at, amount, balance_after: balance, identity_hash, text_sealed };
    });
    return this.statements.insertLines(tx, of, rows);
  }
}

const nameOf = (identity_hash: Buffer): string => identity_hash.toString('latin1');

const hasBalances = ({ columns }: StatementFormat): boolean => columns.balance !== undefined;

function formatOf({ statement }: ChannelSettings, code: string): StatementFormat {
  if (statement) return statement;
  throw new AppError('BAD_REQUEST', `channel ${code} has no columns of statements: set its option columns`);
}

function begin({ channel, lines }: StatementFile): Progress {
  const [first] = lines;
  const opening = first ? openingOf(first) : null;
  const closing = lines.at(-1)?.balance ?? null;
  const of = { channel: channel.code, lines: lines.length, opening, closing, coveredUntil: channel.covered_until };
  const result = { ...NOTHING_IMPORTED, ...of };
  return { importId: null, lastId: null, rest: lines, result };
}

function added(result: ImportResult, taken: IdentifiedLine[], of: Outcomes, coveredUntil: Date | null): ImportResult {
  const outgoing = taken.filter(({ amount }) => amount < 0n);
  return {
    ...result,
    new: result.new + taken.length,
    linked: result.linked + of.linked,
    in: result.in + of.in,
    inAmount: result.inAmount + of.inAmount,
    booked: result.booked + of.booked,
    waiting: result.waiting + of.waiting,
    ignored: result.ignored + of.ignored,
    out: result.out + outgoing.length,
    outAmount: outgoing.reduce((sum, { amount }) => sum - amount, result.outAmount),
    coveredUntil,
  };
}
