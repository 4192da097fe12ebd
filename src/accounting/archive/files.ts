import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Transform, Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { AppError } from '../../core/errors.js';
import { isConnectionLost } from '../../core/postgres-errors.js';

/** The content of a file of rows. */
export interface Content {
  rows: number;
  /** SHA-256 of the uncompressed rows, in hexadecimal. */
  content_sha256: string;
}

/** The content and the compressed file. `sha256` is the hash that `sha256sum` prints for the file. */
export interface Written extends Content {
  bytes: number;
  sha256: string;
}

const LINE_END = 0x0a;
/** File systems in memory, by Linux's numbers: tmpfs and ramfs. In a container, `/tmp` may be one. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6]);

/** Counts and hashes rows. Each line is a row, because COPY escapes line ends in values. */
class Reader {
  rows = 0;
  private readonly hash: Hash = createHash('sha256');

  take(chunk: Buffer): void {
    this.hash.update(chunk);
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) this.rows++;
  }

  get content(): Content {
    return { rows: this.rows, content_sha256: this.hash.copy().digest('hex') };
  }
}

const observe = (take: (chunk: Buffer) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      take(chunk);
      done(null, chunk);
    },
  });

/** Writes rows into a compressed file and syncs it to the disk. @throws AppError if the file can't be written. */
export async function writeRows(rows: Readable, file: string): Promise<Written> {
  const reader = new Reader();
  const hash = createHash('sha256');
  let bytes = 0;
  await onDisk(file, async () => {
    await pipeline(
      rows,
      observe((chunk) => reader.take(chunk)),
      createGzip(),
      observe((chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
      }),
      createWriteStream(file, { mode: 0o600 }),
    );
    await synchronize(file);
  });
  return { ...reader.content, bytes, sha256: hash.digest('hex') };
}

/** Reads a whole file, without storing its rows. @throws AppError if the file can't be read or decompressed. */
export async function checkRows(file: string): Promise<Written> {
  const reader = new Reader();
  const hash = createHash('sha256');
  let bytes = 0;
  await onDisk(file, () =>
    pipeline(
      createReadStream(file),
      observe((chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
      }),
      createGunzip(),
      take(reader),
    ),
  );
  return { ...reader.content, bytes, sha256: hash.digest('hex') };
}

/** Counts and hashes rows without storing them. */
export async function readRows(rows: Readable): Promise<Content> {
  const reader = new Reader();
  await pipeline(rows, take(reader));
  return reader.content;
}

/** Sends the rows of a file into a stream. */
export async function sendRows(file: string, to: Writable): Promise<void> {
  await pipeline(createReadStream(file), createGunzip(), to);
}

const take = (reader: Reader): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      reader.take(chunk);
      done();
    },
  });

/**
 * Makes a directory unless it exists.
 * @throws AppError if this fails, if the directory is in memory, or if it has files and must not have any.
 */
export async function makeDirectory(directory: string, { mayHaveFiles }: { mayHaveFiles: boolean }): Promise<void> {
  await onDisk(directory, async () => {
    const made = await mkdir(directory, { recursive: true, mode: 0o700 });
    // A new directory is on the disk only once its parent is synced.
    for (let level = directory; made !== undefined && level.length >= made.length; level = path.dirname(level))
      await synchronize(path.dirname(level));
    await assertOnDisk(directory);
    if (!mayHaveFiles && (await readdir(directory)).length > 0)
      throw new AppError('CONFLICT', `${directory} has files in it: name another directory`);
  });
}

/** @throws AppError if the directory's files would be lost at a restart. */
export async function assertOnDisk(directory: string): Promise<void> {
  const { type } = await onDisk(directory, () => statfs(directory));
  if (IN_MEMORY.has(type))
    throw new AppError(
      'CONFLICT',
      `${directory} is in memory, and lost at a restart: name a directory on a disk, or mount one there`,
    );
}

/** Writes atomically. @returns the SHA-256 in hexadecimal. */
export async function writeText(file: string, text: string): Promise<string> {
  await onDisk(file, async () => {
    const unfinished = `${file}.new`;
    await pipeline([text], createWriteStream(unfinished, { mode: 0o600 }));
    await synchronize(unfinished);
    await rename(unfinished, file);
    await synchronize(path.dirname(file));
  });
  return hashOf(Buffer.from(text));
}

/** @returns the content and its SHA-256 in hexadecimal. */
export async function readText(file: string): Promise<{ text: string; sha256: string }> {
  const content = await onDisk(file, () => readFile(file));
  return { text: content.toString('utf8'), sha256: hashOf(content) };
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function synchronize(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Adds the file's name to errors of the disk or of decompression. */
async function onDisk<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (error instanceof AppError) throw error;
    if (code.startsWith('Z_')) throw new AppError('CONFLICT', `${file} is damaged: ${message}`);
    // ENOENT of PostgreSQL is about its socket, which an open connection does not need any more.
    const isOfDisk = /^E[A-Z]+$/.test(code) && (code === 'ENOENT' || !isConnectionLost(error));
    if (!isOfDisk) throw error;
    throw new AppError('CONFLICT', `${file} can't be used: ${message}`);
  }
}
