import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const READ_CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * An append-only file of JSON lines. When `append` returns, the operating system has the line, so it survives the
 * process. Only `close` forces it to the disk.
 */
export class Journal<Entry> {
  private constructor(
    private readonly fd: number,
    /** Where the last complete line ends. */
    private sizeBytes: number,
  ) {}

  /**
   * Opens or creates `file` and passes every entry in it to `replay`, oldest first. It cuts off a last line
   * without its end: the process died while it wrote the line, before it answered.
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
   * @throws Error when the disk refuses it; later entries can still be appended.
   */
  append(entry: Entry): void {
    const line = Buffer.from(`${JSON.stringify(entry)}\n`);
    try {
      let written = 0;
      while (written < line.length) written += writeSync(this.fd, line, written);
    } catch (error) {
      // Half a line must not remain, or the next entry would continue it.
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

/** Passes every complete line to `read`. @returns the bytes of these lines, their ends included. */
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
