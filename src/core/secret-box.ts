import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 1;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** How many opened secrets are remembered: the busiest endpoints' and suppliers', call after call. */
const MAX_REMEMBERED = 1_000;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * Encrypts small secrets for storage with AES-256-GCM.
 * A sealed value is: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The key id is the start of the
 * key's SHA-256, so that a value finds its key among several, and one sealed under a lost key is told apart from a
 * damaged one.
 */
export class SecretBox {
  private readonly current: { id: Buffer; key: Buffer };
  private readonly keys = new Map<string, Buffer>();
  private readonly opened = new Map<string, string>();

  /**
   * @param key 32 bytes; seals, and opens what it sealed.
   * @param previous keys that only open, until everything is sealed anew.
   */
  constructor(key: Buffer, previous: readonly Buffer[] = []) {
    for (const each of [...previous, key]) {
      if (each.length !== KEY_BYTES) throw new Error(`a secrets key has ${KEY_BYTES} bytes`);
      this.keys.set(keyId(each).toString('hex'), each);
    }
    this.current = { id: keyId(key), key };
  }

  seal(secret: string): Buffer {
    return this.sealBytes(Buffer.from(secret, 'utf8'));
  }

  sealBytes(secret: Buffer): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.current.key, nonce);
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), this.current.id, nonce, sealed, cipher.getAuthTag()]);
  }

  /** @throws Error when the value was sealed under a key that is not here, or was changed. */
  open(sealed: Buffer): string {
    const name = sealed.toString('latin1');
    let secret = this.opened.get(name);
    if (secret === undefined) {
      secret = this.openBytes(sealed).toString('utf8');
      if (this.opened.size >= MAX_REMEMBERED) this.opened.clear();
      this.opened.set(name, secret);
    }
    return secret;
  }

  /** Whether a value is sealed under a previous key. */
  isOutdated(sealed: Buffer): boolean {
    return !idOf(sealed).equals(this.current.id);
  }

  /** @throws as {@link open}; what it opens is not remembered. */
  openBytes(sealed: Buffer): Buffer {
    if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES + TAG_BYTES) {
      throw new Error('a sealed secret is not readable: it is damaged');
    }
    const key = this.keys.get(idOf(sealed).toString('hex'));
    if (!key) throw new Error('a sealed secret is not readable: it was sealed under another SECRETS_KEY');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
  }
}

const keyId = (key: Buffer): Buffer => createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);

const idOf = (sealed: Buffer): Buffer => sealed.subarray(1, 1 + KEY_ID_BYTES);
