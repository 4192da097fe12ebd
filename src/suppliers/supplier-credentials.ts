import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secret-box.js';
import { changed, type Changes } from './supplier-settings.js';
import type { Supplier } from './supplier.entity.js';

/** Where a supplier's credentials are. */
export type CredentialColumns = Pick<Supplier, 'token_sealed' | 'credentials_sealed' | 'credential_names'>;

export const NO_CREDENTIALS: CredentialColumns = {
  token_sealed: null,
  credentials_sealed: null,
  credential_names: [],
};

/**
 * The credential that has a column of its own, `token_sealed`; all others are sealed together. It is the only one that
 * the version before knows, which runs beside this one during an upgrade: it must find the token there, and when its
 * `supplier set` replaces or removes the token there, that counts here too.
 */
const IN_ITS_OWN_COLUMN = 'token';

/** The names of a supplier's credentials, which can be told without the key that opens them. */
export const credentialNames = ({
  token_sealed,
  credential_names,
}: Pick<CredentialColumns, 'token_sealed' | 'credential_names'>): string[] => [
  ...(token_sealed === null ? [] : [IN_ITS_OWN_COLUMN]),
  ...credential_names,
];

/** Seals and opens the credentials of suppliers. */
@Injectable()
export class SupplierCredentials {
  constructor(private readonly secretBox: SecretBox) {}

  /** By name. @throws Error for what keeps them shut. */
  open(columns: Pick<CredentialColumns, 'token_sealed' | 'credentials_sealed'>): Record<string, string> {
    const { token_sealed: token } = columns;
    const others = this.openOthers(columns);
    return token === null ? others : { ...others, [IN_ITS_OWN_COLUMN]: this.secretBox.open(token) };
  }

  /**
   * What changes make of the columns. Those that no change concerns are left out, so that they need not be opened.
   * @throws Error for what keeps the ones that stay shut.
   */
  change(columns: CredentialColumns, changes: Changes): Partial<CredentialColumns> {
    const { [IN_ITS_OWN_COLUMN]: token, ...others } = changes;
    return {
      ...(token === undefined ? {} : { token_sealed: token === null ? null : this.secretBox.seal(token) }),
      ...(Object.keys(others).length === 0 ? {} : this.changeOthers(columns, others)),
    };
  }

  private changeOthers(columns: CredentialColumns, changes: Changes): Partial<CredentialColumns> {
    const kept = changed(this.openOthers(columns), changes);
    const names = Object.keys(kept);
    return {
      credentials_sealed: names.length === 0 ? null : this.secretBox.seal(JSON.stringify(kept)),
      credential_names: names,
    };
  }

  private openOthers({
    credentials_sealed: sealed,
  }: Pick<CredentialColumns, 'credentials_sealed'>): Record<string, string> {
    return sealed === null ? {} : (JSON.parse(this.secretBox.open(sealed)) as Record<string, string>);
  }
}
