import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors.js';
import { isLockTimeout } from '../../core/postgres-errors.js';
import { SecretBox } from '../../core/secret-box.js';
import { Database, type Queryable, type Transaction } from '../../database/database.js';
import { retryWrite } from '../../database/retry-write.js';
import { assertActor, recordAction, type Actor } from '../../audit-log/audit-log.js';
import { ChannelsRepository } from '../channels.repository.js';
import type { ConnectedChannel } from '../channel-registry.js';
import { ChannelsService } from '../channels.service.js';
import { DepositsObserver } from '../deposits.observer.js';
import { IncomingLinesService, type States } from '../incoming-lines.service.js';
import { PaymentsRepository } from '../payments.repository.js';
import { coveredBy } from '../witnesses.js';
import { nextOf, type Upcoming } from './batches.js';
import {
  assertBalances,
  assertNoneMissing,
  continueChain,
  identify,
  linesWhere,
  type Ends,
  type IdentifiedLine,
} from './chain.js';
import { add, nothing, type ImportResult, type Tally } from './import-result.js';
import type { StatementFormat } from './statement-format.js';
import { lineTextPlace } from './statement-line.entity.js';
import { openingOf, readStatement } from './statement-reader.js';
import { StatementRefused } from './statement-refused.js';
import { StatementsRepository, type ImportRow, type ImportsFilter } from './statements.repository.js';

/** How long a batch waits for other imports of its channel. */
const LOCK_WAIT_MS = 60_000;

interface ImportOptions {
  /** A day. The operator confirms that the bank has changed texts in the lines of this day since their import. */
  changedTextsOn?: string | undefined;
  onProgress?: (done: number, all: number) => void;
}

/** A file that was read. */
interface StatementFile extends ConnectedChannel, Ends {
  format: StatementFormat;
  changedTextsOn: string | null;
  sha256: Buffer;
  /** When the file was given to us, in monotonic milliseconds. */
  readAtMs: number;
  lines: Iterable<IdentifiedLine>;
  /** As in {@link ImportResult}. */
  daysWithoutLines: string[];
}

/** The new lines of a file. */
interface NewLines {
  lines: Iterable<IdentifiedLine>;
  count: number;
  /** The ids of imported lines that have another amount in the file. Only a file without balances can have such lines. */
  contradicted: bigint[];
}

/**
 * The state of an import between two transactions. A transaction may run twice, so it returns a new state and never changes the
 * old one.
 */
interface Progress extends Upcoming {
  importId: number;
  /** The id of the last line that the transaction wrote. */
  lastId: bigint;
  left: number;
  states: States;
  coveredUntil: Date | null;
}

/** Imports bank statements. Refuses a file with a wrong line. To continue an interrupted import, import the file again. */
@Injectable()
export class StatementsService {
  constructor(
    private readonly database: Database,
    private readonly statements: StatementsRepository,
    private readonly channels: ChannelsService,
    private readonly channelRows: ChannelsRepository,
    private readonly incomingLines: IncomingLinesService,
    private readonly payments: PaymentsRepository,
    private readonly secretBox: SecretBox,
    private readonly observer: DepositsObserver,
  ) {}

  list(filter: ImportsFilter): Promise<ImportRow[]> {
    return this.statements.list(filter);
  }

  /** The texts of lines, which may name payers, by the lines' ids. */
  async listTexts(ids: bigint[]): Promise<Map<bigint, string>> {
    const sealed = await this.statements.listTexts(ids);
    return new Map(
      sealed.map(({ id, identity, text_sealed }) => {
        const texts = JSON.parse(
          this.secretBox.openBytes(text_sealed, lineTextPlace(identity)).toString('utf8'),
        ) as string[];
        return [id, texts.filter((text) => text.trim() !== '').join(' · ')];
      }),
    );
  }

  /** When a statement of each channel was last imported, by the channels' ids. */
  listLastImports(): Promise<Map<number, Date>> {
    return this.statements.listLastImports();
  }

  /** @throws NOT_FOUND; BAD_REQUEST; CONFLICT if the channel's columns change meanwhile; StatementRefused */
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
    const lines = [...(await this.compare(this.database, statement)).lines];
    const coveredUntil = coveredBy(statement.channel.covered_until, lines);
    const added = nothing();
    add(added, lines, await this.incomingLines.preview(this.database, statement, lines));
    return resultOf(statement, added, coveredUntil);
  }

  private async read(code: string, file: Buffer, { changedTextsOn }: ImportOptions): Promise<StatementFile> {
    const readAtMs = performance.now();
    const connected = await this.channels.connectByCode(code);
    const format = connected.settings.statement;
    if (!format)
      throw new AppError('BAD_REQUEST', `channel ${code} has no columns of statements: set its option columns`);
    const read = readStatement(file, format, new Date());
    const ends = assertBalances(read);
    const lines = identify(read.lines, format.isReferenceUnique, ends.isByDay);
    const sha256 = createHash('sha256').update(file).digest();
    const { first } = ends;
    const daysWithoutLines = first ? await this.statements.listUnprovenDays(connected.channel.id, first.bookedOn) : [];
    return {
      ...connected,
      format,
      changedTextsOn: changedTextsOn ?? null,
      sha256,
      readAtMs,
      lines,
      daysWithoutLines,
      ...ends,
    };
  }

  private async importAll(file: StatementFile, by: Actor, { onProgress }: ImportOptions): Promise<ImportResult> {
    const { channel, readAtMs } = file;
    const added = nothing();
    let next: Progress | null = null;
    let newIncoming = 0;
    do {
      const before: Progress | null = next;
      const written: Progress = await this.write((tx) => this.importBatch(tx, file, before, by));
      add(added, written.batch, written.states);
      this.observer.reported(channel.code, 'line', written.states.values(), readAtMs);
      newIncoming += written.states.size;
      onProgress?.(file.count - written.left, file.count);
      next = { ...written, ...nextOf(written) };
    } while (next.batch.length > 0);
    this.observer.linesRepeated(channel.code, file.incoming - newIncoming);
    return resultOf(file, added, next.coveredUntil);
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
    const connected = this.channels.connect(channel);
    if (!isDeepStrictEqual(connected.settings.statement, file.format)) {
      const words = `the columns of channel ${channel.code} were changed meanwhile: import the file again`;
      throw new AppError('CONFLICT', words);
    }
    // Another import may have written lines since the last batch. Then this import compares its file again.
    const isUndisturbed = before !== null && !(await this.statements.hasLinesAfter(tx, channel.id, before.lastId));
    const { batch, ahead, rest, left } = isUndisturbed ? before : await this.begin(tx, file);
    const importId = before?.importId ?? (await this.record(tx, file, left, by));
    const coveredUntil = coveredBy(channel.covered_until, batch);
    const covered = { covered_until: coveredUntil };
    // Only the first batch clears `refused`: if another file is refused between two batches, that refusal stays.
    await this.channelRows.record(tx, channel.code, before === null ? { ...covered, refused: null } : covered);
    const ids = await this.insert(tx, { channelId: channel.id, importId }, batch);
    // As late as possible, because it locks wallets, for which orders wait.
    const states = await this.incomingLines.record(tx, connected, batch, ids, ahead);
    if (coveredUntil !== null) this.payments.markMissing(tx, channel.id, coveredUntil);
    const lastId = ids.get(batch.at(-1)?.identity ?? '') ?? 0n;
    return { importId, lastId, batch, ahead, rest, left: left - batch.length, states, coveredUntil };
  }

  /** Compares the file with the imported lines, and records what it contradicts. */
  private async begin(tx: Transaction, file: StatementFile): Promise<Upcoming & Pick<Progress, 'left'>> {
    const { lines, count, contradicted } = await this.compare(tx, file);
    this.payments.contradict(tx, 'line_id', contradicted);
    const rest = lines[Symbol.iterator]();
    return { ...nextOf({ ahead: [], rest }), left: count };
  }

  /** Compares the file with the imported lines. @throws StatementRefused */
  private async compare(
    tx: Queryable,
    { channel, format, changedTextsOn, lines, count, first }: StatementFile,
  ): Promise<NewLines> {
    if (!first) return { lines, count, contradicted: [] };
    const hasBalances = format.columns.balance !== undefined;
    const stored = await this.statements.listFrom(tx, {
      channelId: channel.id,
      firstOn: first.bookedOn,
      changedTextsOn,
    });
    if (!hasBalances) assertNoneMissing(lines, stored.lines);
    const rest = hasBalances ? continueChain(lines, stored) : lines;
    const known = format.isReferenceUnique
      ? await this.statements.listSame(tx, channel.id, rest)
      : new Map<string, never>();
    const contradicted: bigint[] = [];
    for (const { identity, amount, bookedOn, row } of known.size === 0 ? [] : rest) {
      const line = known.get(identity);
      if (line && (hasBalances || line.booked_on !== bookedOn)) {
        const words = `line ${row}: its reference was imported before, with another date`;
        throw new StatementRefused('CHAIN_BROKEN', [words]);
      }
      if (line && line.amount !== amount) contradicted.push(line.id);
    }
    const imported = hasBalances ? stored.lines.length : known.size;
    return {
      lines: known.size === 0 ? rest : linesWhere(rest, ({ identity }) => !known.has(identity)),
      count: Math.max(0, count - imported),
      contradicted,
    };
  }

  private async record(tx: Transaction, file: StatementFile, count: number, by: Actor): Promise<number> {
    const { channel, changedTextsOn, sha256, first, last } = file;
    const importId = await this.statements.insertImport(tx, {
      channel_id: channel.id,
      file_hash: sha256,
      lines: file.count,
      ...balancesOf(file),
      first_on: first?.bookedOn ?? null,
      last_on: last?.bookedOn ?? null,
      texts_of: changedTextsOn,
      operator: by.operator,
    });
    const detail = {
      channel: channel.code,
      import_id: importId,
      file_sha256: sha256.toString('hex'),
      lines: file.count,
      new: count,
      ...(changedTextsOn !== null && { accepted_texts_of: changedTextsOn }),
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

const balancesOf = ({ first, last }: Ends): Pick<ImportResult, 'opening' | 'closing'> => ({
  opening: first ? openingOf(first) : null,
  closing: last?.balance ?? null,
});

const resultOf = (file: StatementFile, added: Tally, coveredUntil: Date | null): ImportResult => {
  const { channel, count: lines, daysWithoutLines } = file;
  return { channel: channel.code, lines, added, ...balancesOf(file), coveredUntil, daysWithoutLines };
};
