import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const READ_CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * An append-only file of JSON lines. A line is with the operating system when `append` returns, so it survives
 * the death of the process by any signal; it is forced to the disk only by `close`.
 */
export class Journal<Entry> {
  private constructor(
    private readonly fd: number,
    /** Where the last complete line ends. */
    private sizeBytes: number,
  ) {}

  /**
   * Opens or creates `file` and passes every entry in it to `replay`, oldest first. A last line without its end
   * is cut off: the process died while it was being written, before anything was answered on its strength.
   * @throws Error when the file cannot be opened, holds a line that is not JSON, or `replay` refuses an entry.
   */
  static open<Entry>(file: string, replay: (entry: Entry) => void): Journal<Entry> {
    const fd = openSync(file, 'a+');
    try {
      const sizeBytes = replayLines(fd, (line) => replay(JSON.parse(line) as Entry));
      if (fstatSync(fd).size > sizeBytes) ftruncateSync(fd, sizeBytes);
      return new Journal<Entry>(fd, sizeBytes);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /**
   * Writes one entry as one line, in full or not at all.
   * @throws Error when the disk refuses it; the journal can be appended to again afterwards.
   */
  append(entry: Entry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      let written = 0;
      while (written < line.length) written += writeSync(this.fd, line, written);
    } catch (error) {
      // The beginning of a line must not stay behind, or the next entry would be glued to it.
      ftruncateSync(this.fd, this.sizeBytes);
      throw error;
    }
    this.sizeBytes += line.length;
  }

  /** Forces everything to the disk and closes the file. */
  close(): void {
    fsyncSync(this.fd);
    closeSync(this.fd);
  }
}

/** Hands every complete line to `read` and returns the bytes they take up, their ends included. */
function replayLines(fd: number, read: (line: string) => void): number {
  const chunk = Buffer.allocUnsafe(READ_CHUNK_BYTES);
  let rest = Buffer.alloc(0);
  let position = 0;
  let lineNumber = 0;
  for (;;) {
    const count = readSync(fd, chunk, 0, chunk.length, position);
    if (count === 0) return position - rest.length;
    position += count;

    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lineNumber += 1;
      readLine(bytes.toString('utf8', start, end), lineNumber, read);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
}

function readLine(line: string, lineNumber: number, read: (line: string) => void): void {
  try {
    read(line);
  } catch (error) {
    throw new Error(`journal line ${lineNumber}: ${(error as Error).message}`, { cause: error });
  }
}
