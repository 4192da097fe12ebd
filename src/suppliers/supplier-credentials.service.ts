import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { SecretBox, type Place } from '../core/secret-box.js';
import { changed, keptNames, type Changes } from './supplier-settings.js';
import { supplierPlace, type Supplier } from './supplier.entity.js';

/** The columns with a supplier's credentials. */
export type CredentialColumns = Pick<Supplier, 'token_sealed' | 'credentials_sealed' | 'credential_names'>;

export const NO_CREDENTIALS: CredentialColumns = {
  token_sealed: null,
  credentials_sealed: null,
  credential_names: [],
};

/**
 * The credential with its own column, `token_sealed`; all other credentials are sealed together. During an upgrade, the earlier
 * version of the service still runs. That version knows only this column: it reads the token there, and its `supplier set` writes
 * the token there.
 */
const IN_ITS_OWN_COLUMN = 'token';

/** The names of a supplier's credentials, readable without the key. */
export const credentialNames = ({
  token_sealed,
  credential_names,
}: Pick<CredentialColumns, 'token_sealed' | 'credential_names'>): string[] => [
  ...(token_sealed === null ? [] : [IN_ITS_OWN_COLUMN]),
  ...credential_names,
];

/** Seals and opens the credentials of suppliers. */
@Injectable()
export class SupplierCredentialsService {
  constructor(private readonly secretBox: SecretBox) {}

  /** The credentials by name. @throws Error if they cannot be opened. */
  open(supplier: Pick<Supplier, 'code' | 'token_sealed' | 'credentials_sealed'>): Record<string, string> {
    const { code, token_sealed: token } = supplier;
    const others = openTogether(this.secretBox, supplier, othersPlace(code));
    if (token === null) return others;
    return {
      ...others,
      [IN_ITS_OWN_COLUMN]: this.secretBox.open(token, supplierPlace('token_sealed', code)),
    };
  }

  /**
   * The new values of the columns that the changes affect. Other columns are left out, so that they need not be opened.
   * @param code the supplier's code.
   * @throws BAD_REQUEST if `credentials_sealed` must change but cannot be opened, and a stored credential in it stays.
   */
  change(code: string, columns: CredentialColumns, changes: Changes): Partial<CredentialColumns> {
    const { [IN_ITS_OWN_COLUMN]: token, ...others } = changes;
    return {
      ...(token === undefined ? {} : { token_sealed: token === null ? null : this.secretBox.sealUnbound(token) }),
      ...this.changeOthers(code, columns, others),
    };
  }

  private changeOthers(code: string, columns: CredentialColumns, changes: Changes): Partial<CredentialColumns> {
    try {
      return changeTogether(this.secretBox, columns, othersPlace(code), changes);
    } catch (error) {
      const staying = keptNames(columns.credential_names, changes);
      throw staying.length === 0 ? error : unopened(staying, `supplier ${code}`, ` (${(error as Error).message})`);
    }
  }
}

const othersPlace = (code: string): Place => supplierPlace('credentials_sealed', code);

/** The refusal of a change, because credentials that stay must be opened, but can't. @param owner whose credentials they are. */
export function unopened(staying: readonly string[], owner: string, reason = ''): AppError {
  const it = staying.length === 1 ? 'it' : 'them';
  return new AppError(
    'BAD_REQUEST',
    `the stored ${staying.join(', ')} of ${owner} can't be opened${reason}: enter ${it} again, or use the SECRETS_KEY that sealed ${it}`,
  );
}

/** Opens credentials that are sealed as one object. @throws Error if they cannot be opened. */
export const openTogether = (
  secretBox: SecretBox,
  { credentials_sealed: sealed }: Pick<CredentialColumns, 'credentials_sealed'>,
  place: Place,
): Record<string, string> =>
  sealed === null ? {} : (JSON.parse(secretBox.open(sealed, place)) as Record<string, string>);

/**
 * The new values of both columns; none if nothing changes. Opens the stored credentials only if one of them stays: after the key is
 * lost, an operator can still enter all of them again.
 * @throws Error if the stored credentials cannot be opened.
 */
export function changeTogether(
  secretBox: SecretBox,
  columns: Pick<CredentialColumns, 'credentials_sealed' | 'credential_names'>,
  place: Place,
  changes: Changes,
): Partial<Pick<CredentialColumns, 'credentials_sealed' | 'credential_names'>> {
  if (Object.keys(changes).length === 0) return {};
  const isAnyKept = keptNames(columns.credential_names, changes).length > 0;
  const remaining = changed(isAnyKept ? openTogether(secretBox, columns, place) : {}, changes);
  const names = Object.keys(remaining);
  const sealed = names.length === 0 ? null : secretBox.seal(JSON.stringify(remaining), place);
  return { credentials_sealed: sealed, credential_names: names };
}
