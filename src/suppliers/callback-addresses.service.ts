import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { CALLBACKS_PATH } from '../core/http/secret-path.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { supplierPlace, type Supplier } from './supplier.entity.js';

/** 128 random bits, as the contract promises (section 8). */
const TOKEN_BYTES = 16;

/** The addresses at which suppliers call us. Each contains a token that only that supplier knows. */
@Injectable()
export class CallbackAddressesService {
  constructor(
    private readonly secretBox: SecretBox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A new token, sealed for the supplier of this code. @throws Error without SECRETS_KEY. */
  newToken(code: string): Buffer {
    return this.secretBox.seal(randomBytes(TOKEN_BYTES).toString('hex'), placeOfToken(code));
  }

  /** Null if the supplier has no token, or if the present keys can't open it. */
  tokenOf({ code, callback_token_sealed: sealed }: Pick<Supplier, 'code' | 'callback_token_sealed'>): string | null {
    if (sealed === null) return null;
    try {
      return this.secretBox.open(sealed, placeOfToken(code));
    } catch {
      return null;
    }
  }

  /** Null if SUPPLIER_CALLBACK_BASE_URL is not set, or if there is no readable token. */
  urlOf(supplier: Pick<Supplier, 'code' | 'callback_token_sealed'>): string | null {
    const { supplierCallbackBaseUrl: baseUrl } = this.config;
    if (baseUrl === null) return null;
    const token = this.tokenOf(supplier);
    return token === null ? null : `${baseUrl}${CALLBACKS_PATH}/${encodeURIComponent(supplier.code)}/${token}`;
  }
}

const placeOfToken = (code: string): Place => supplierPlace('callback_token_sealed', code);
