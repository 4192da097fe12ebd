import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { CALLBACKS_PATH } from '../core/http/secret-path.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { supplierPlace, type Supplier } from './supplier.entity.js';

/** Contract, section 8: 128 random bits. */
const TOKEN_BYTES = 16;

/** The addresses at which suppliers call us. Each holds a token that nobody else knows. */
@Injectable()
export class CallbackAddressesService {
  constructor(
    private readonly secretBox: SecretBox,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A new token for the supplier of a code, sealed. @throws Error without SECRETS_KEY. */
  newToken(code: string): Buffer {
    return this.secretBox.seal(randomBytes(TOKEN_BYTES).toString('hex'), placeOfToken(code));
  }

  /** Null where the supplier has none, and where it can't be opened with the keys that are here. */
  tokenOf({ code, callback_token_sealed: sealed }: Pick<Supplier, 'code' | 'callback_token_sealed'>): string | null {
    if (sealed === null) return null;
    try {
      return this.secretBox.open(sealed, placeOfToken(code));
    } catch {
      return null;
    }
  }

  /** Null where SUPPLIER_CALLBACK_BASE_URL is not set, and where there is no token to be read. */
  urlOf(supplier: Pick<Supplier, 'code' | 'callback_token_sealed'>): string | null {
    const { supplierCallbackBaseUrl: baseUrl } = this.config;
    if (baseUrl === null) return null;
    const token = this.tokenOf(supplier);
    return token === null ? null : `${baseUrl}${CALLBACKS_PATH}/${encodeURIComponent(supplier.code)}/${token}`;
  }
}

const placeOfToken = (code: string): Place => supplierPlace('callback_token_sealed', code);
