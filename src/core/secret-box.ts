import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * Encrypts small secrets for storage with AES-256-GCM.
 * A sealed value is: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). The key id is the start of the
 * key's SHA-256, so that a value sealed under another key is told apart from a damaged one.
 */
export class SecretBox {
  private readonly keyId: Buffer;

  /** @param key 32 bytes. */
  constructor(private readonly key: Buffer) {
    if (key.length !== 32) throw new Error('a secrets key has 32 bytes');
    this.keyId = createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES);
  }

  seal(secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), this.keyId, nonce, sealed, cipher.getAuthTag()]);
  }

  /** @throws Error when the value was sealed under another key, or was changed. */
  open(sealed: Buffer): string {
    if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES + TAG_BYTES) {
      throw new Error('a sealed secret is not readable: it is damaged');
    }
    if (!sealed.subarray(1, 1 + KEY_ID_BYTES).equals(this.keyId)) {
      throw new Error('a sealed secret is not readable: it was sealed under another SECRETS_KEY');
    }
    const decipher = createDecipheriv(
      'aes-256-gcm',
      this.key,
      sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES),
    );
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const plain = [decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  }
}
