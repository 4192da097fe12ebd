import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Versions of sealed values. An `UNBOUND` value opens anywhere, a `BOUND` value only in its place. */
const UNBOUND = 1;
const BOUND = 2;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many opened texts are cached: secrets of webhooks, suppliers and channels. */
const MAX_CACHED = 1_000;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * Where a sealed value belongs. If an attacker copies a bound value to another place in the database, it cannot be opened
 * there.
 */
export type Place = string & { readonly __place: never };

/** @param column such as `table.column`. @param row values that identify the row and never change. */
export const placeOf = (column: string, ...row: (string | number | bigint | null)[]): Place =>
  JSON.stringify([column, ...row.map((each) => (each === null ? null : String(each)))]) as Place;

/**
 * Encrypts small secrets for storage with AES-256-GCM.
 * A sealed value is: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The key id is the start of the
 * key's SHA-256: it selects the key, and shows whether a value is damaged or its key is missing. The place is authenticated,
 * but not stored.
 */
export class SecretBox {
  private readonly current: { id: Buffer; key: Buffer };
  private readonly keys = new Map<string, Buffer>();
  private readonly opened = new Map<string, string>();

  /**
   * @param key 32 bytes, to seal and open.
   * @param previous keys that only open, until all secrets are re-sealed.
   */
  constructor(key: Buffer, previous: readonly Buffer[] = []) {
    for (const each of [...previous, key]) {
      if (each.length !== KEY_BYTES) throw new Error(`a secrets key has ${KEY_BYTES} bytes`);
      this.keys.set(keyId(each).toString('hex'), each);
    }
    this.current = { id: keyId(key), key };
  }

  seal(secret: string, place: Place): Buffer {
    return this.sealBytes(Buffer.from(secret, 'utf8'), place);
  }

  sealBytes(secret: Buffer, place: Place): Buffer {
    return this.encrypt(secret, place);
  }

  /**
   * Seals a secret for a column that the previous version must be able to read, because that version runs during an upgrade or
   * after a rollback. The next version will bind such secrets when it writes them. `topup secrets rotate` binds them already.
   */
  sealUnbound(secret: string): Buffer {
    return this.encrypt(Buffer.from(secret, 'utf8'), null);
  }

  /** @throws Error if the key is missing, the value was sealed for another place, or it was changed. */
  open(sealed: Buffer, place: Place): string {
    const name = `${place} ${sealed.toString('latin1')}`;
    let secret = this.opened.get(name);
    if (secret === undefined) {
      secret = this.openBytes(sealed, place).toString('utf8');
      if (this.opened.size >= MAX_CACHED) this.opened.clear();
      this.opened.set(name, secret);
    }
    return secret;
  }

  /** Whether a value is sealed with a previous key, or not bound to its place. */
  isOutdated(sealed: Buffer): boolean {
    return sealed[0] !== BOUND || !idOf(sealed).equals(this.current.id);
  }

  /** Like {@link open}, but for bytes and without caching. */
  openBytes(sealed: Buffer, place: Place): Buffer {
    const [version] = sealed;
    if ((version !== UNBOUND && version !== BOUND) || sealed.length < HEADER_BYTES + TAG_BYTES) {
      throw new Error('a sealed secret is not readable: it is damaged');
    }
    const key = this.keys.get(idOf(sealed).toString('hex'));
    if (!key) throw new Error('a sealed secret is not readable: it was sealed under another SECRETS_KEY');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES));
    if (version === BOUND) decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Error('a sealed secret is not readable: it was changed, or is not where it belongs');
    }
  }

  private encrypt(secret: Buffer, place: Place | null): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, nonce);
    if (place !== null) cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    const version = Buffer.from([place === null ? UNBOUND : BOUND]);
    return Buffer.concat([version, this.current.id, nonce, sealed, cipher.getAuthTag()]);
  }
}

const keyId = (key: Buffer): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);

const idOf = (sealed: Buffer): Buffer => sealed.subarray(1, 1 + KEY_ID_BYTES);
