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
import { IncomingLinesService, type States } from '../incoming-lines.service.js';
import type { PaymentState } from '../incoming-payment.entity.js';
import { PaymentsRepository } from '../payments.repository.js';
import { assertBalances, assertNoneMissing, continueChain, identify, type IdentifiedLine } from './chain.js';
import type { StatementFormat } from './statement-format.js';
import { lineTextPlace } from './statement-line.entity.js';
import { openingOf, readStatement } from './statement-reader.js';
import { StatementRefused } from './statement-refused.js';
import { StatementsRepository, type ImportRow } from './statements.repository.js';

/** Lines of one transaction. */
const BATCH = 500;
/** How long a batch waits for other imports of its channel. */
const LOCK_WAIT_MS = 60_000;

/** A line that was imported, with what became of its payment; null for money that went out. */
export interface TakenLine {
  amount: Satang;
  state: PaymentState | null;
}

/** What an import did. */
export interface ImportResult {
  channel: string;
  /** All lines of the file. */
  lines: number;
  /** The new ones. */
  taken: TakenLine[];
  opening: Satang | null;
  closing: Satang | null;
  coveredUntil: Date | null;
}

export interface ImportOptions {
  /** A day whose texts the bank has changed since it was imported, as the operator confirms. */
  textsOf?: string | undefined;
  onProgress?: (done: number, all: number) => void;
}

/** A file that was read. */
interface StatementFile extends KnownChannel {
  format: StatementFormat;
  textsOf: string | null;
  sha256: Buffer;
  lines: IdentifiedLine[];
}

/** How far an import is. Only a commit makes it the next state, because a transaction may run again. */
interface Progress {
  importId: number;
  /** The last line that it wrote. */
  lastId: bigint;
  /** The new lines of the file, and how many of them are written. */
  lines: IdentifiedLine[];
  done: number;
  taken: TakenLine[];
  coveredUntil: Date | null;
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
    private readonly payments: PaymentsRepository,
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
        await this.write((tx) => this.channelRows.record(tx, code, { refused: error.code }));
      throw error;
    }
  }

  /** Reports what an import would do. @throws as {@link import}. */
  async preview(code: string, file: Buffer, options: ImportOptions = {}): Promise<ImportResult> {
    const statement = await this.read(code, file, options);
    const { lines } = await this.compare(this.database, statement);
    const states = await this.incoming.preview(this.database, statement, lines);
    return resultOf(statement, takenLines(lines, states), statement.lines.at(-1)?.at ?? null);
  }

  private async read(code: string, file: Buffer, { textsOf }: ImportOptions): Promise<StatementFile> {
    const known = await this.channels.known(code);
    const format = known.settings.statement;
    if (!format)
      throw new AppError('BAD_REQUEST', `channel ${code} has no columns of statements: set its option columns`);
    const read = readStatement(file, format, new Date());
    assertBalances(read);
    const lines = identify(read.lines, format.isReferenceUnique);
    return { ...known, format, textsOf: textsOf ?? null, sha256: createHash('sha256').update(file).digest(), lines };
  }

  private async importAll(file: StatementFile, by: Actor, { onProgress }: ImportOptions): Promise<ImportResult> {
    const taken: TakenLine[] = [];
    let progress: Progress | null = null;
    do {
      const before: Progress | null = progress;
      progress = await this.write((tx) => this.importBatch(tx, file, before, by));
      taken.push(...progress.taken);
      onProgress?.(file.lines.length - progress.lines.length + progress.done, file.lines.length);
    } while (progress.done < progress.lines.length);
    return resultOf(file, taken, progress.coveredUntil);
  }

  /** Another import may hold the channel's lock for longer than a statement waits. */
  private write<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return retryWrite(() => this.database.transaction(work), performance.now() + LOCK_WAIT_MS, isLockTimeout);
  }

  private async importBatch(
    tx: Transaction,
    file: StatementFile,
    before: Progress | null,
    by: Actor,
  ): Promise<Progress> {
    const channel = await this.channelRows.lock(tx, file.channel.id);
    // Another import may have gone between two batches.
    const isAlone = before !== null && !(await this.statements.hasLinesAfter(tx, channel.id, before.lastId));
    const compared = isAlone ? { ...before, contradicted: [] } : { ...(await this.compare(tx, file)), done: 0 };
    const { lines, contradicted, done } = compared;
    this.payments.contradict(tx, contradicted);
    const importId = before?.importId ?? (await this.record(tx, file, lines.length, by));
    const batch = lines.slice(done, done + BATCH);
    const coveredUntil = laterOf(channel.covered_until, batch.at(-1)?.at);
    await this.channelRows.record(tx, channel.code, { covered_until: coveredUntil, refused: null });
    const ids = await this.insert(tx, { channelId: channel.id, importId }, batch);
    // The last step, because it locks wallets, for which orders wait.
    const states = await this.incoming.take(tx, { ...file, channel }, batch, ids);
    const lastId = ids.get(batch.at(-1)?.identity ?? '') ?? 0n;
    return { importId, lastId, lines, done: done + batch.length, taken: takenLines(batch, states), coveredUntil };
  }

  /**
   * Compares the file with the imported lines.
   * @returns the new lines, and the ids of imported ones that have another amount in the file. Only a file without balances can
   * have such.
   * @throws StatementRefused
   */
  private async compare(
    tx: Queryable,
    { channel: { id: channelId }, format, textsOf, lines }: StatementFile,
  ): Promise<{ lines: IdentifiedLine[]; contradicted: bigint[] }> {
    const [first] = lines;
    if (!first) return { lines, contradicted: [] };
    const hasBalances = format.columns.balance !== undefined;
    const stored = await this.statements.stored(tx, { channelId, firstOn: first.bookedOn, textsOf });
    if (!hasBalances) assertNoneMissing(lines, stored.lines);
    const rest = hasBalances ? continueChain(lines, stored) : lines;
    if (!format.isReferenceUnique) return { lines: rest, contradicted: [] };
    const known = await this.statements.known(tx, channelId, rest);
    const moved = hasBalances && rest.find(({ identity }) => known.has(identity));
    if (moved) {
      const words = `line ${moved.row}: its reference was imported before, with another date`;
      throw new StatementRefused('CHAIN_BROKEN', [words]);
    }
    const contradicted = rest.flatMap(({ identity, amount }) => {
      const line = known.get(identity);
      return line && line.amount !== amount ? [line.id] : [];
    });
    return { lines: rest.filter(({ identity }) => !known.has(identity)), contradicted };
  }

  private async record(tx: Transaction, file: StatementFile, count: number, by: Actor): Promise<number> {
    const { channel, textsOf, sha256, lines } = file;
    const importId = await this.statements.insertImport(tx, {
      channel_id: channel.id,
      file_hash: sha256,
      lines: lines.length,
      ...balancesOf(lines),
      first_on: lines[0]?.bookedOn ?? null,
      last_on: lines.at(-1)?.bookedOn ?? null,
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
    return importId;
  }

  /** @returns the ids of the lines by their identities. */
  private async insert(
    tx: Transaction,
    of: { channelId: number; importId: number },
    lines: IdentifiedLine[],
  ): Promise<Map<string, bigint>> {
    const rows = lines.map(({ bookedOn, at, amount, balance, identity, texts, reference }) => {
      const text_sealed = this.secretBox.seal(JSON.stringify([...texts, reference]), lineTextPlace(identity));
      return { booked_on: bookedOn, at, amount, balance_after: balance, identity, text_sealed };
    });
    return this.statements.insertLines(tx, of, rows);
  }
}

const takenLines = (lines: readonly IdentifiedLine[], states: States): TakenLine[] =>
  lines.map(({ amount, identity }) => ({ amount, state: states.get(identity) ?? null }));

const balancesOf = (lines: readonly IdentifiedLine[]): Pick<ImportResult, 'opening' | 'closing'> => ({
  opening: lines[0] ? openingOf(lines[0]) : null,
  closing: lines.at(-1)?.balance ?? null,
});

const resultOf = ({ channel, lines }: StatementFile, taken: TakenLine[], coveredUntil: Date | null): ImportResult => {
  return { channel: channel.code, lines: lines.length, taken, ...balancesOf(lines), coveredUntil };
};

const laterOf = (one: Date | null, other: Date | undefined): Date | null =>
  other !== undefined && (one === null || other > one) ? other : one;
