import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** Packs files as .tgz. The bytes depend only on names and texts: a lock file keeps the hash of an unchanged package. */
export function packTar(files: ReadonlyMap<string, string>): Buffer {
  const blocks = [...files].flatMap(([name, text]) => {
    const bytes = Buffer.from(text);
    return [header(name, bytes.length), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

/** A header of POSIX's ustar format. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    block.write(value.toString(8).padStart(length - 1, '0'), at);
  };
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for a tar archive: ${name}`);
  block.write(name, 0);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\0' + '00', 257);
  // The sum of all bytes, counted with spaces in its own place.
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}
