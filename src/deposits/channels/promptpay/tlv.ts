/** One field of an EMVCo code: two digits of id, two of length, and the value. */
export const field = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;

/** CRC-16/CCITT-FALSE: polynomial 1021, start FFFF, not reflected, no final XOR. Four capital hex digits. */
export function crcOf(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Adds the checksum, which covers its own id and length. @param id of the checksum's field. */
export function withCrc(fields: string, id: string): string {
  const start = `${fields}${id}04`;
  return start + crcOf(start);
}
