import type { ReactNode } from 'react';
import { Status } from '../../kit/status';
import type { Account } from './account';

/** The state of an account. An active account may be locked. */
export function AccountState({ of: { state, locked_until } }: { of: Account }): ReactNode {
  return <Status of={state === 'active' && locked_until !== null ? 'locked' : state} />;
}
