import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { CALLBACKS_PATH } from '../core/http/secret-path.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { supplierPlace } from './supplier.entity.js';

/** 128 random bits, as the contract promises (section 8). */
const TOKEN_BYTES = 16;

/** The problem of an address whose token can't be opened, with the remedy. */
export const UNOPENED_ADDRESS =
  "can't be opened: start with the SECRETS_KEY that sealed it, or make a new one (--new-callback-url)";

interface Called {
  code: string;
  callback_token_sealed: Buffer | null;
}

/** The addresses at which others call us. Each contains a token that only the caller knows. */
export class CallbackAddresses {
  /**
   * @param baseUrl SUPPLIER_CALLBACK_BASE_URL.
   * @param placeOfToken returns the place of the sealed token of the caller with this code.
   */
  constructor(
    private readonly secretBox: SecretBox,
    private readonly baseUrl: string | null,
    private readonly path: string,
    private readonly placeOfToken: (code: string) => Place,
  ) {}

  /** A new token, sealed for the caller of this code. @throws Error without SECRETS_KEY. */
  newToken(code: string): Buffer {
    return this.secretBox.seal(randomBytes(TOKEN_BYTES).toString('hex'), this.placeOfToken(code));
  }

  /** Null if the caller has no token, or if the present keys can't open it. */
  tokenOf({ code, callback_token_sealed: sealed }: Called): string | null {
    if (sealed === null) return null;
    try {
      return this.secretBox.open(sealed, this.placeOfToken(code));
    } catch {
      return null;
    }
  }

  /** Null if SUPPLIER_CALLBACK_BASE_URL is not set, or if there is no readable token. */
  urlOf(called: Called): string | null {
    if (this.baseUrl === null) return null;
    const token = this.tokenOf(called);
    return token === null ? null : `${this.baseUrl}${this.path}/${encodeURIComponent(called.code)}/${token}`;
  }
}

/** The addresses at which suppliers call us. */
@Injectable()
export class CallbackAddressesService extends CallbackAddresses {
  constructor(secretBox: SecretBox, @Inject(CONFIG) { supplierCallbackBaseUrl }: Config) {
    super(secretBox, supplierCallbackBaseUrl, CALLBACKS_PATH, (code) => supplierPlace('callback_token_sealed', code));
  }
}
