import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { makeDirectory, writeRows } from './files.js';
import { parseManifest } from './manifest.js';

describe('the directory of an archive', () => {
  it('is not in memory, where a restart would lose its files', async () => {
    const parent = await mkdtemp('/dev/shm/archive-');
    const directory = path.join(parent, 'orders_p1');
    await expect(makeDirectory(directory, { mayHaveFiles: false })).rejects.toThrow(
      `${directory} is in memory, and lost at a restart: name a directory on a disk`,
    );
    await rm(parent, { recursive: true });
  });
});

describe('a manifest', () => {
  it.each(['', '{', 'null'])('that was not written whole is none: %p', (text) => {
    expect(parseManifest(text, 'manifest.json')).toBeNull();
  });

  it.each(['{}', '1', '[]'])('of another version is refused: %p', (text) => {
    expect(() => parseManifest(text, 'manifest.json')).toThrow('manifest.json was written by another version');
  });
});

describe('a file of rows', () => {
  it.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])(
    'is not blamed if the connection to PostgreSQL ends with %s',
    async (code) => {
      const directory = await mkdtemp(path.join(tmpdir(), 'rows-'));
      const lost = Object.assign(new Error(`read ${code}`), { code });
      const rows = new Readable({ read: () => void rows.destroy(lost) });
      await expect(writeRows(rows, path.join(directory, 'orders.copy.gz'))).rejects.toBe(lost);
      await rm(directory, { recursive: true });
    },
  );

  it('is named if its directory is missing', async () => {
    const file = path.join(tmpdir(), 'missing', 'orders.copy.gz');
    await expect(writeRows(Readable.from([]), file)).rejects.toThrow(`${file} can't be used: ENOENT`);
  });
});
